//===- ValueSize.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ValueSize.h"

#include "avocet/hal/types/Utils.h"
#include "device/DeviceList.h"
#include "model/ExtensionPrefixes.h"

#include <algorithm>

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

} // namespace avocet::nnapi
