//===- ShapeRules.cpp - Rules about ranks, shapes and types ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "TypeSet.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

namespace avocet::hal {

using enum Version;
using enum OperandType;

Result<Version> checkRankFour(const OperationView &operation) {
  return operation.input(0).dimensions.size() == 4 ? V1_0 : V1_2;
}

Result<Version> checkSoftmaxRank(const OperationView &operation) {
  size_t rank = operation.input(0).dimensions.size();
  return rank == 0 || rank == 2 || rank == 4 ? V1_0 : V1_2;
}

Result<Version> checkCast(const OperationView &operation) {
  static constexpr TypeSet kConvertible =
      setOf(TensorFloat32) | setOf(TensorFloat16) | setOf(TensorInt32) | setOf(TensorQuant8Asymm);
  const Operand &input = operation.input(0);
  const Operand &output = operation.output(0);
  TypeSet allowed = contains(kConvertible, input.type) ? kConvertible : setOf(input.type);
  if (!contains(allowed, output.type))
    return invalidArgument(fmt::format("output 0 is {}, must be {}", toString(output.type), namesOf(allowed)));
  bool isKnown = !input.dimensions.empty() && !output.dimensions.empty() && isFullySpecified(output);
  if (isKnown && input.dimensions != output.dimensions)
    return invalidArgument(fmt::format("output 0 has shape {}, must be that of input 0, {}",
                                       toString(output.dimensions), toString(input.dimensions)));
  return V1_2;
}

/// 8-bit inputs must be quantised like the output.
static Outcome checkSameQuantization(const OperationView &operation, size_t position) {
  const Operand &input = operation.input(position);
  const Operand &output = operation.output(0);
  if (!isQuantized(input.type) || (input.scale == output.scale && input.zeroPoint == output.zeroPoint))
    return success();
  return invalidArgument(fmt::format("input {} has scale {} and zero point {}, must be those of output 0, {} and {}",
                                     position, input.scale, input.zeroPoint, output.scale, output.zeroPoint));
}

static Outcome checkSameRank(const OperationView &operation) {
  size_t rank = operation.input(0).dimensions.size();
  size_t outputRank = operation.output(0).dimensions.size();
  if (rank != 0 && outputRank != 0 && rank != outputRank)
    return invalidArgument(fmt::format("output 0 has rank {}, must be that of input 0, {}", outputRank, rank));
  return success();
}

Result<Version> checkPack(const OperationView &operation) {
  size_t outputRank = operation.output(0).dimensions.size();
  size_t required = outputRank == 0 ? 0 : outputRank - 1;
  for (size_t i = 1; i < operation.numInputs(); ++i) {
    AVOCET_RETURN_IF_ERROR(checkSameQuantization(operation, i));
    size_t rank = operation.input(i).dimensions.size();
    if (rank != 0 && required != 0 && rank != required)
      return invalidArgument(fmt::format("input {} has rank {}, must be {}", i, rank, required));
    required = rank != 0 ? rank : required;
  }
  return AidlV2;
}

Result<Version> checkMirrorPad(const OperationView &operation) {
  const std::vector<uint32_t> &paddings = operation.input(1).dimensions;
  size_t rank = operation.input(0).dimensions.size();
  if (!paddings.empty() && (paddings.size() != 2 || (paddings[1] != 0 && paddings[1] != 2)))
    return invalidArgument(fmt::format("input 1 has shape {}, must be [rank,2]", toString(paddings)));
  if (!paddings.empty() && paddings[0] != 0 && rank != 0 && paddings[0] != rank)
    return invalidArgument(fmt::format("input 1 has {} rows, must be the rank of input 0, {}", paddings[0], rank));
  AVOCET_RETURN_IF_ERROR(checkSameQuantization(operation, 0));
  AVOCET_RETURN_IF_ERROR(checkSameRank(operation));
  return AidlV3;
}

Result<Version> checkReverse(const OperationView &operation) {
  const std::vector<uint32_t> &axis = operation.input(1).dimensions;
  if (!axis.empty() && (axis.size() != 1 || axis[0] > 1))
    return invalidArgument(fmt::format("input 1 has shape {}, must be [1]", toString(axis)));
  AVOCET_RETURN_IF_ERROR(checkSameQuantization(operation, 0));
  AVOCET_RETURN_IF_ERROR(checkSameRank(operation));
  return AidlV3;
}

} // namespace avocet::hal
