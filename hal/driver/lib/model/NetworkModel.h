//===- NetworkModel.h - Whole networks of other formats -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_NETWORKMODEL_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_NETWORKMODEL_H

#include "avocet/cache/ModelCache.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/hal/types/Result.h"

#include <optional>

namespace avocet::hal {

/// A network in the extension of its format (avocet/hal/driver/TfliteExtension.h, OnnxExtension.h).
struct NetworkParts {
  compiler::InputFormat format = compiler::InputFormat::Tflite;
  uint32_t file = 0;                 ///< the operand with the file's bytes
  std::optional<uint32_t> constants; ///< the operand with those of its pool
};

/// Empty if the valid model uses none of the extensions. GeneralFailure: it does not satisfy the extension's rules.
Result<std::optional<NetworkParts>> networkOf(const Model &model);

/// InvalidArgument unless the declared inputs and outputs of a model with an extension match those of the network.
Outcome checkNetworkOperands(const Model &model, compiler::InputFormat format, const cache::ModelCache &network);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_NETWORKMODEL_H
