//===- OperandRules.cpp - Rules of one operand ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace avocet::hal {

using enum Version;

Result<Version> validate(OperandType type) {
  if (const OperandTypeInfo *info = findOperandType(type))
    return info->since;
  if (isOem(type))
    return V1_0;
  if (isExtension(type))
    return V1_2;
  return invalidArgument(fmt::format("operand type {} does not exist", static_cast<int32_t>(type)));
}

static Result<Version> validateType(const ModelContext &context, OperandType type) {
  return isExtension(type) ? validatePrefix(context, extensionPrefix(type)) : validate(type);
}

static Result<Version> validateLifetime(const Operand &operand) {
  auto code = static_cast<int32_t>(operand.lifetime);
  if (code < 0 || code > static_cast<int32_t>(OperandLifeTime::Subgraph))
    return invalidArgument(fmt::format("lifetime {} does not exist", code));
  bool isSubgraph = operand.lifetime == OperandLifeTime::Subgraph;
  if (isSubgraph != (operand.type == OperandType::Subgraph))
    return invalidArgument(fmt::format("lifetime {} of type {}: type and lifetime SUBGRAPH go together",
                                       toString(operand.lifetime), toString(operand.type)));
  return isSubgraph ? V1_3 : V1_0;
}

/// All extents of a constant must be known.
static Outcome checkConstantShape(const Operand &operand) {
  if (!isFullySpecified(operand))
    return invalidArgument(fmt::format("constant of unknown shape {}", toString(operand.dimensions)));
  return success();
}

/// Standard types only. Requests give unknown extents of inputs and outputs. Those of temporaries are known only at
/// execution, which devices before 1.2 do not support.
static Result<Version> validateDimensions(const Operand &operand, const OperandTypeInfo &info) {
  if (!info.isTensor && !operand.dimensions.empty())
    return invalidArgument(fmt::format("scalar {} with dimensions {}", info.name, toString(operand.dimensions)));
  if (!getNonExtensionSize(operand))
    return invalidArgument(
        fmt::format("shape {} of {} has more than {} bytes", toString(operand.dimensions), info.name, kMaxByteSize));
  if (isConstant(operand.lifetime))
    AVOCET_RETURN_IF_ERROR(checkConstantShape(operand));
  bool isTemporary = operand.lifetime == OperandLifeTime::TemporaryVariable;
  bool isUnknownRank = info.isTensor && operand.dimensions.empty();
  return isUnknownRank || (isTemporary && !isFullySpecified(operand)) ? V1_2 : V1_0;
}

/// `scale` is NaN fails every comparison, and so every rule.
static Outcome checkScale(const Operand &operand, const OperandTypeInfo &info) {
  bool isPositive = operand.scale > 0 && std::isfinite(operand.scale);
  bool isValid = info.scale == ScaleRule::Required ? isPositive : operand.scale == 0;
  if (isValid || (info.scale == ScaleRule::Optional && isPositive))
    return success();
  std::string_view wanted = "0";
  if (info.scale != ScaleRule::None)
    wanted = info.scale == ScaleRule::Required ? "positive" : "0 or positive";
  return invalidArgument(fmt::format("scale {} of {}, must be {}", operand.scale, info.name, wanted));
}

static Outcome checkZeroPoint(const Operand &operand, const OperandTypeInfo &info) {
  if (operand.zeroPoint >= info.minZeroPoint && operand.zeroPoint <= info.maxZeroPoint)
    return success();
  return invalidArgument(fmt::format("zero point {} of {}, must be {} to {}", operand.zeroPoint, info.name,
                                     info.minZeroPoint, info.maxZeroPoint));
}

static Outcome checkChannelScales(const Operand &operand, const SymmPerChannelQuantParams &params) {
  if (params.channelDim >= operand.dimensions.size())
    return invalidArgument(
        fmt::format("channel dimension {} of a tensor of rank {}", params.channelDim, operand.dimensions.size()));
  uint32_t extent = operand.dimensions[params.channelDim];
  if (extent == 0 || params.scales.size() != extent)
    return invalidArgument(
        fmt::format("{} channel scales for an extent of {}, must be as many and not 0", params.scales.size(), extent));
  for (size_t i = 0; i < params.scales.size(); ++i)
    if (!(params.scales[i] > 0) || !std::isfinite(params.scales[i]))
      return invalidArgument(fmt::format("channel scale {} is {}, must be positive", i, params.scales[i]));
  return success();
}

static Outcome checkExtraParams(const Operand &operand) {
  const auto *channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
  if (operand.type == OperandType::TensorQuant8SymmPerChannel)
    return channels != nullptr ? checkChannelScales(operand, *channels)
                               : invalidArgument("extra parameters of TENSOR_QUANT8_SYMM_PER_CHANNEL are missing");
  if (!std::holds_alternative<std::monostate>(operand.extraParams))
    return invalidArgument(fmt::format("extra parameters of {}, must be none", toString(operand.type)));
  return success();
}

/// Extensions' operands have no scale; their vendor defines all other rules.
static Outcome checkForeign(const Operand &operand) {
  if (isOem(operand.type))
    return success();
  if (operand.scale != 0 || operand.zeroPoint != 0)
    return invalidArgument(
        fmt::format("scale {} and zero point {} of an extension's type, must be 0", operand.scale, operand.zeroPoint));
  if (std::holds_alternative<SymmPerChannelQuantParams>(operand.extraParams))
    return invalidArgument("channel scales of an extension's type, must be none or the extension's own bytes");
  return success();
}

static Outcome checkLength(const Operand &operand) {
  std::optional<uint64_t> size = getNonExtensionSize(operand);
  if (findOperandType(operand.type) == nullptr || size == operand.location.length)
    return success();
  return invalidArgument(fmt::format("location has length {}, must be the {} bytes of {} {}", operand.location.length,
                                     size.value_or(0), toString(operand.type), toString(operand.dimensions)));
}

static Outcome checkInside(const DataLocation &location, uint64_t size, std::string_view what) {
  std::optional<uint64_t> end = checkedAdd(location.offset, location.length);
  if (end && *end <= size)
    return success();
  return invalidArgument(fmt::format("location has offset {} and length {}, which is not inside the {} bytes of {}",
                                     location.offset, location.length, size, what));
}

static Outcome checkConstantLocation(const ModelContext &context, const Operand &operand) {
  const DataLocation &location = operand.location;
  if (operand.lifetime == OperandLifeTime::ConstantCopy) {
    if (location.poolIndex != 0)
      return invalidArgument(fmt::format("CONSTANT_COPY with pool index {}, must be 0", location.poolIndex));
    AVOCET_RETURN_IF_ERROR(checkInside(location, context.model.operandValues.size(), "the operand values"));
    return checkLength(operand);
  }
  if (location.poolIndex >= context.poolSizes.size())
    return invalidArgument(
        fmt::format("pool index {} of a model with {} pools", location.poolIndex, context.poolSizes.size()));
  AVOCET_RETURN_IF_ERROR(
      checkInside(location, context.poolSizes[location.poolIndex], fmt::format("pool {}", location.poolIndex)));
  return checkLength(operand);
}

static Outcome checkSubgraphLocation(const ModelContext &context, const DataLocation &location) {
  if (location.poolIndex != 0 || location.length != 0)
    return invalidArgument(fmt::format("subgraph reference with pool index {} and length {}, must be 0",
                                       location.poolIndex, location.length));
  if (location.offset >= context.model.referenced.size())
    return invalidArgument(
        fmt::format("reference to subgraph {} of a model with {}", location.offset, context.model.referenced.size()));
  return success();
}

static Outcome checkLocation(const ModelContext &context, const Operand &operand) {
  const DataLocation &location = operand.location;
  if (location.padding != 0)
    return invalidArgument(fmt::format("location has padding {}, must be 0 in a model", location.padding));
  if (isConstant(operand.lifetime))
    return checkConstantLocation(context, operand);
  if (operand.lifetime == OperandLifeTime::Subgraph)
    return checkSubgraphLocation(context, location);
  if (location != DataLocation())
    return invalidArgument(fmt::format("location of lifetime {} has pool index {}, offset {}, length {}, must be 0",
                                       toString(operand.lifetime), location.poolIndex, location.offset,
                                       location.length));
  return success();
}

Result<Version> validateOperand(const ModelContext &context, const Operand &operand) {
  AVOCET_ASSIGN_OR_RETURN(Version version, validateType(context, operand.type));
  AVOCET_ASSIGN_OR_RETURN(Version forLifetime, validateLifetime(operand));
  version = std::max(version, forLifetime);
  if (const OperandTypeInfo *info = findOperandType(operand.type)) {
    AVOCET_ASSIGN_OR_RETURN(Version forShape, validateDimensions(operand, *info));
    version = std::max(version, forShape);
    AVOCET_RETURN_IF_ERROR(checkScale(operand, *info));
    AVOCET_RETURN_IF_ERROR(checkZeroPoint(operand, *info));
    AVOCET_RETURN_IF_ERROR(checkExtraParams(operand));
  } else {
    AVOCET_RETURN_IF_ERROR(checkForeign(operand));
  }
  AVOCET_RETURN_IF_ERROR(checkLocation(context, operand));
  return version;
}

} // namespace avocet::hal
