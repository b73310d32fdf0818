//===- ExposedModel.h - A network that shows its tensors --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_EXPOSEDMODEL_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_EXPOSEDMODEL_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

struct ExposedModel {
  std::vector<uint8_t> file;
  std::vector<std::string> names; ///< of the outputs, in order
};

/// A .tflite network whose outputs are all tensors that the operators of its first subgraph compute, in the order of
/// the operators. Its inputs are the same. DataLoss: the bytes are no such file.
Result<ExposedModel> exposeTensors(std::span<const uint8_t> file);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_EXPOSEDMODEL_H
