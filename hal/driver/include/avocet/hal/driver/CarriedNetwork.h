//===- CarriedNetwork.h - A file as a model of the HAL ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For clients of the extensions that pass a whole network (TfliteExtension.h, OnnxExtension.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_CARRIEDNETWORK_H
#define AVOCET_HAL_DRIVER_CARRIEDNETWORK_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <vector>

namespace avocet::hal {

enum class CarriedFormat { Tflite, Onnx };

struct CarriedNetwork {
  CarriedFormat format = CarriedFormat::Tflite;
  std::vector<uint8_t> file;
  /// Of Onnx: the memory whose first bytes are the constants of the file's pool; null: it has none.
  SharedMemory constants = nullptr;
  uint64_t constantBytes = 0;
  std::vector<Operand> inputs, outputs; ///< as carriedOperand() declares them
};

/// The declaration of an input or output of a network that the compiler has described.
Operand carriedOperand(CarriedFormat format, const cache::OperandView &operand);

/// A model with the network as its only operation. It owns the bytes of the file.
Model carriedModel(CarriedNetwork network);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_CARRIEDNETWORK_H
