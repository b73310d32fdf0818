//===- WireLimits.cpp - Limits of the fields of a version -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WireLimits.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace avocet::hal {

Outcome checkLocationFits(const DataLocation &location, Version version, const std::string &place) {
  uint64_t most = isHidl(version) ? std::numeric_limits<uint32_t>::max() : std::numeric_limits<int64_t>::max();
  if (location.offset > most || location.length > most)
    return invalidArgument(fmt::format("{}: location has offset {} and length {}, must be at most {} in version {}",
                                       place, location.offset, location.length, most, toString(version)));
  return success();
}

Outcome checkDimensionsFit(std::span<const uint32_t> dimensions, Version version, const std::string &place) {
  static constexpr uint32_t kMost = std::numeric_limits<int32_t>::max();
  if (!isHidl(version) && std::ranges::any_of(dimensions, [](uint32_t extent) { return extent > kMost; }))
    return invalidArgument(fmt::format("{}: shape {}, extents must be at most {} in version {}", place,
                                       toString(dimensions), kMost, toString(version)));
  return success();
}

static Outcome checkOperandsFit(const Subgraph &subgraph, Version version) {
  for (size_t i = 0; i < subgraph.operands.size(); ++i) {
    const Operand &operand = subgraph.operands[i];
    std::string place = fmt::format("operand {}", i);
    AVOCET_RETURN_IF_ERROR(checkLocationFits(operand.location, version, place));
    AVOCET_RETURN_IF_ERROR(checkDimensionsFit(operand.dimensions, version, place));
  }
  return success();
}

static Outcome checkPrefixesFit(const Model &model, Version version) {
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    if (!isHidl(version) && extension.prefix > kMaxAidlPrefix)
      return invalidArgument(fmt::format("prefix {} of extension '{}', must be at most {} in AIDL", extension.prefix,
                                         extension.name, kMaxAidlPrefix));
  return success();
}

Outcome checkModelFits(const Model &model, Version version) {
  AVOCET_RETURN_IF_ERROR(checkPrefixesFit(model, version));
  AVOCET_RETURN_IF_ERROR(checkOperandsFit(model.main, version));
  for (const Subgraph &subgraph : model.referenced)
    AVOCET_RETURN_IF_ERROR(checkOperandsFit(subgraph, version));
  return success();
}

} // namespace avocet::hal
