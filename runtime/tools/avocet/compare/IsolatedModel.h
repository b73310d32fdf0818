//===- IsolatedModel.h - Networks of one operator -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ISOLATEDMODEL_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ISOLATEDMODEL_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

struct IsolatedOperator {
  std::string kind;                         ///< "CONV_2D"
  std::vector<std::string> inputs, outputs; ///< names of the tensors, in the order of the network's operands
  std::vector<uint8_t> file;                ///< a .tflite network; empty: the operator has graphs of its own
};

struct IsolatedModel {
  std::vector<std::string> inputs; ///< names of the network's own inputs
  std::vector<IsolatedOperator> operators;
};

/// Each operator of the first subgraph of a .tflite network as a network of its own, which computes its outputs from
/// its inputs. Constants, types, scales and initial states are those of the file. `name` is for messages. DataLoss: the
/// bytes are no such file.
Result<IsolatedModel> isolateOperators(std::span<const uint8_t> file, const std::string &name);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ISOLATEDMODEL_H
