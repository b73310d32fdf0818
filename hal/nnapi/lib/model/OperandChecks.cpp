//===- OperandChecks.cpp - Rules of a single operand type -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/OperandChecks.h"

#include "avocet/hal/types/Utils.h"
#include "device/DeviceList.h"
#include "model/ExtensionPrefixes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::nnapi {
namespace {

using TypeFacts = hal::ExtensionOperandTypeInformation;

std::optional<TypeFacts> findType(const hal::Extension &extension, uint16_t number) {
  const auto type = std::ranges::find(extension.operandTypes, number, &TypeFacts::type);
  return type == extension.operandTypes.end() ? std::nullopt : std::optional(*type);
}

std::optional<TypeFacts> factsOf(hal::OperandType type) {
  const std::vector<hal::ExtensionNameAndPrefix> known = knownPrefixes();
  const auto name = std::ranges::find(known, hal::extensionPrefix(type), &hal::ExtensionNameAndPrefix::prefix);
  if (name == known.end())
    return std::nullopt;
  for (const auto &device : DeviceList::instance().all())
    for (const hal::Extension &extension : device->hal()->supportedExtensions())
      if (extension.name == name->name)
        if (std::optional<TypeFacts> facts = findType(extension, static_cast<uint16_t>(type)))
          return facts;
  return std::nullopt;
}

} // namespace

std::optional<uint64_t> valueSize(hal::OperandType type, std::span<const uint32_t> dimensions) {
  if (!hal::isExtension(type))
    return hal::getNonExtensionSize(type, dimensions);
  const std::optional<TypeFacts> facts = factsOf(type);
  if (!facts)
    return std::nullopt;
  if (facts->isTensor && (dimensions.empty() || std::ranges::find(dimensions, 0u) != dimensions.end()))
    return 0;
  std::optional<uint64_t> bytes = facts->byteSize;
  for (uint32_t extent : dimensions)
    bytes = bytes ? hal::checkedMultiply(*bytes, extent) : std::nullopt;
  return bytes && *bytes <= hal::kMaxByteSize ? bytes : std::nullopt;
}

namespace {

ApiOutcome checkScale(const hal::OperandTypeInfo &info, float scale) {
  const bool isRight = info.scale == hal::ScaleRule::None       ? scale == 0
                       : info.scale == hal::ScaleRule::Optional ? scale >= 0
                                                                : scale > 0;
  if (isRight && std::isfinite(scale))
    return success();
  return badData(fmt::format("scale {} of an operand of type {}", scale, info.name));
}

ApiOutcome checkStandardType(const hal::OperandTypeInfo &info, const ANeuralNetworksOperandType &type) {
  if (!info.isTensor && type.dimensionCount != 0)
    return badData(fmt::format("{} dimensions of a scalar of type {}", type.dimensionCount, info.name));
  AVOCET_RETURN_IF_ERROR(checkScale(info, type.scale));
  if (type.zeroPoint < info.minZeroPoint || type.zeroPoint > info.maxZeroPoint)
    return badData(fmt::format("zero point {} of type {}; it must be {} to {}", type.zeroPoint, info.name,
                               info.minZeroPoint, info.maxZeroPoint));
  return success();
}

ApiOutcome checkType(hal::OperandType code, const ANeuralNetworksOperandType &type) {
  if (const hal::OperandTypeInfo *info = hal::findOperandType(code))
    return checkStandardType(*info, type);
  if (hal::isExtension(code) && isKnownPrefix(hal::extensionPrefix(code)))
    return type.scale == 0 && type.zeroPoint == 0
               ? success()
               : ApiOutcome(badData("an extension's operand with a scale or zero point"));
  if (hal::isOem(code))
    return success();
  return badData(fmt::format("operand type {} is unknown", type.type));
}

} // namespace

ApiResult<hal::Operand> operandOf(const ANeuralNetworksOperandType &type) {
  // As in Android, this is no UNEXPECTED_NULL, and a pointer without a count is refused too.
  if ((type.dimensionCount == 0) != (type.dimensions == nullptr))
    return badData(
        fmt::format("{} dimensions at {} pointer", type.dimensionCount, type.dimensions == nullptr ? "a null" : "a"));
  const auto code = static_cast<hal::OperandType>(type.type);
  AVOCET_RETURN_IF_ERROR(checkType(code, type));
  hal::Operand operand;
  operand.type = code;
  operand.dimensions.assign(type.dimensions, type.dimensions + type.dimensionCount);
  operand.scale = type.scale;
  operand.zeroPoint = type.zeroPoint;
  if (hal::findOperandType(code) != nullptr && !hal::getNonExtensionSize(operand).has_value())
    return badData(fmt::format("a tensor of extents {} has more than {} bytes", hal::toString(operand.dimensions),
                               hal::kMaxByteSize));
  return operand;
}

ApiResult<hal::SymmPerChannelQuantParams> channelParametersOf(const hal::Operand &operand,
                                                              const ANeuralNetworksSymmPerChannelQuantParams &given) {
  if (operand.type != hal::OperandType::TensorQuant8SymmPerChannel)
    return badData(fmt::format("scales per channel of an operand of type {}", hal::toString(operand.type)));
  if (given.channelDim >= operand.dimensions.size())
    return badData(
        fmt::format("channel dimension {} of an operand of rank {}", given.channelDim, operand.dimensions.size()));
  const uint32_t extent = operand.dimensions[given.channelDim];
  if (given.scaleCount == 0 || given.scaleCount != extent)
    return badData(fmt::format("{} scales for {} channels", given.scaleCount, extent));
  if (given.scales == nullptr)
    return unexpectedNull("the list of scales is null");
  hal::SymmPerChannelQuantParams parameters;
  parameters.channelDim = given.channelDim;
  parameters.scales.assign(given.scales, given.scales + given.scaleCount);
  if (!std::ranges::all_of(parameters.scales, [](float scale) { return scale > 0 && std::isfinite(scale); }))
    return badData("a scale per channel is not positive");
  return parameters;
}

} // namespace avocet::nnapi
