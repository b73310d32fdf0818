//===- Rules.cpp - Rules about scales and zero points -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "Pattern.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>
#include <optional>

namespace avocet::hal {

using enum Version;
using enum OperandType;

Result<Version> checkProductScale(const OperationView &operation) {
  OperandType type = operation.input(0).type;
  float product = operation.input(0).scale * operation.input(1).scale;
  float scale = operation.output(0).scale;
  if ((type == TensorQuant8Asymm || type == TensorQuant8AsymmSigned) && !(scale > product))
    return invalidArgument(
        fmt::format("output 0 has scale {}, must be above the product of the inputs' scales, {}", scale, product));
  return V1_0;
}

Result<Version> checkConcatenation(const OperationView &operation) {
  const Operand &output = operation.output(0);
  if (output.type != TensorQuant8Asymm)
    return V1_0;
  for (size_t i = 0; i + 1 < operation.numInputs(); ++i)
    if (operation.input(i).scale != output.scale || operation.input(i).zeroPoint != output.zeroPoint)
      return V1_2;
  return V1_0;
}

Result<Version> checkPaddedZeroPoint(const OperationView &operation) {
  const Operand &input = operation.input(0);
  return input.type == TensorQuant8Asymm && input.zeroPoint != 0 ? V1_2 : V1_0;
}

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

/// 8-bit inputs must be quantized like the output.
static Outcome checkSameQuantization(const OperationView &operation, size_t position) {
  const Operand &input = operation.input(position);
  const Operand &output = operation.output(0);
  if (!isQuantized(input.type) || (input.scale == output.scale && input.zeroPoint == output.zeroPoint))
    return success();
  return invalidArgument(fmt::format("input {} has scale {} and zero point {}, must be those of output 0, {} and {}",
                                     position, input.scale, input.zeroPoint, output.scale, output.zeroPoint));
}

Result<Version> checkPack(const OperationView &operation) {
  for (size_t i = 1; i < operation.numInputs(); ++i)
    AVOCET_RETURN_IF_ERROR(checkSameQuantization(operation, i));
  return AidlV2;
}

Result<Version> checkMirrorPad(const OperationView &operation) {
  AVOCET_RETURN_IF_ERROR(checkSameQuantization(operation, 0));
  return AidlV3;
}

Result<Version> checkReverse(const OperationView &operation) {
  const std::vector<uint32_t> &axis = operation.input(1).dimensions;
  if (!axis.empty() && axis[0] > 1)
    return invalidArgument(fmt::format("input 1 has shape {}, must be [1]", toString(axis)));
  AVOCET_RETURN_IF_ERROR(checkSameQuantization(operation, 0));
  return AidlV3;
}

/// Version that the scales need.
static Version versionOfScales(const OperationView &operation) {
  if (operation.input(0).type != TensorQuant8Asymm)
    return V1_0;
  return operation.output(0).scale > operation.input(0).scale * operation.input(1).scale ? V1_0 : V1_2;
}

static Outcome checkChannelDim(const OperationView &operation, uint32_t channelDim) {
  const auto *params = std::get_if<SymmPerChannelQuantParams>(&operation.input(1).extraParams);
  if (params != nullptr && params->channelDim != channelDim)
    return invalidArgument(
        fmt::format("input 1 has its scales along dimension {}, must be {}", params->channelDim, channelDim));
  return success();
}

Result<Version> checkConv(const OperationView &operation) {
  AVOCET_RETURN_IF_ERROR(checkChannelDim(operation, 0));
  return versionOfScales(operation);
}

Result<Version> checkDepthwiseConv(const OperationView &operation) {
  const std::vector<uint32_t> &filter = operation.input(1).dimensions;
  if (!filter.empty() && filter[0] > 1)
    return invalidArgument(fmt::format("input 1 has shape {}, must be [1,height,width,channels]", toString(filter)));
  AVOCET_RETURN_IF_ERROR(checkChannelDim(operation, 3));
  return versionOfScales(operation);
}

Result<Version> checkOutputChannelScales(const OperationView &operation) {
  AVOCET_RETURN_IF_ERROR(checkChannelDim(operation, 0));
  return V1_2;
}

/// The input must consist of whole rows of the weights' length. Checked only if both are known.
static Outcome checkRows(const Operand &input, const Operand &weights) {
  std::optional<uint64_t> bytes = getNonExtensionSize(input);
  uint64_t rowBytes = uint64_t{weights.dimensions[1]} * findOperandType(input.type)->byteSize;
  if (bytes && rowBytes != 0 && *bytes % rowBytes != 0)
    return invalidArgument(fmt::format("input 0 has shape {}, which is not whole rows of {} elements",
                                       toString(input.dimensions), weights.dimensions[1]));
  return success();
}

Result<Version> checkFullyConnected(const OperationView &operation) {
  const size_t rank = operation.input(0).dimensions.size();
  if (rank == 1)
    return invalidArgument("input 0 has rank 1, must be at least 2");
  const Operand &weights = operation.input(1);
  const Operand &bias = operation.input(2);
  if (weights.dimensions.size() != 2) // unknown, or omitted
    return versionOfScales(operation);
  AVOCET_RETURN_IF_ERROR(checkRows(operation.input(0), weights));
  uint32_t units = weights.dimensions[0];
  uint32_t biases = bias.dimensions.empty() ? 0 : bias.dimensions[0];
  if (units != 0 && biases != 0 && units != biases)
    return invalidArgument(fmt::format("input 2 has {} elements, must be {}, one for each unit", biases, units));
  return versionOfScales(operation);
}

} // namespace avocet::hal
