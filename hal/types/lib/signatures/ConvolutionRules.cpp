//===- ConvolutionRules.cpp - Rules about filters, biases and their scales ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <optional>

namespace avocet::hal {

using enum Version;
using enum OperandType;

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

static Outcome checkRankIs(const OperationView &operation, size_t position, size_t expected) {
  size_t rank = operation.input(position).dimensions.size();
  if (rank != 0 && rank != expected)
    return invalidArgument(fmt::format("input {} has rank {}, must be {}", position, rank, expected));
  return success();
}

static Outcome checkRankIsAtLeast(const OperationView &operation, size_t position, size_t least) {
  size_t rank = operation.input(position).dimensions.size();
  if (rank != 0 && rank < least)
    return invalidArgument(fmt::format("input {} has rank {}, must be at least {}", position, rank, least));
  return success();
}

Result<Version> checkConv(const OperationView &operation) {
  for (size_t position : {0, 1})
    AVOCET_RETURN_IF_ERROR(checkRankIs(operation, position, 4));
  AVOCET_RETURN_IF_ERROR(checkChannelDim(operation, 0));
  return versionOfScales(operation);
}

Result<Version> checkDepthwiseConv(const OperationView &operation) {
  for (size_t position : {0, 1})
    AVOCET_RETURN_IF_ERROR(checkRankIs(operation, position, 4));
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
  AVOCET_RETURN_IF_ERROR(checkRankIsAtLeast(operation, 0, 2));
  AVOCET_RETURN_IF_ERROR(checkRankIs(operation, 1, 2));
  AVOCET_RETURN_IF_ERROR(checkRankIs(operation, 2, 1));
  const Operand &weights = operation.input(1);
  const Operand &bias = operation.input(2);
  if (weights.dimensions.empty())
    return versionOfScales(operation);
  AVOCET_RETURN_IF_ERROR(checkRows(operation.input(0), weights));
  uint32_t units = weights.dimensions[0];
  uint32_t biases = bias.dimensions.empty() ? 0 : bias.dimensions[0];
  if (units != 0 && biases != 0 && units != biases)
    return invalidArgument(fmt::format("input 2 has {} elements, must be {}, one for each unit", biases, units));
  return versionOfScales(operation);
}

} // namespace avocet::hal
