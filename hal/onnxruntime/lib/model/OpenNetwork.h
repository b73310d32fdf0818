//===- OpenNetwork.h - A network with open extents --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_OPENNETWORK_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_OPENNETWORK_H

#include "avocet/firmware_iface/DataType.h"
#include "avocet/hal/plugin/Engine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::ort {

/// Of inputs, in order.
using Shapes = std::vector<std::vector<int64_t>>;

/// A network of which each run gives the extents of inputs.
struct OpenNetwork {
  std::string file; ///< an ONNX file that has its constants in it
  std::vector<firmware::DataType> inputs, outputs;

  /// The network for inputs of these shapes. Its outputs have those that follow.
  Result<plugin::Network> at(const Shapes &shapes) const;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_OPENNETWORK_H
