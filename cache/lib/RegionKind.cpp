//===- RegionKind.cpp - Names of region kinds -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelDescription.h"

#include "modelCache_generated.h"

#include <array>

namespace avocet::cache {

constexpr std::array<std::string_view, kNumRegionKinds> kRegionKindNames = {"input", "output", "constants", "scratch"};
static_assert(!kRegionKindNames.back().empty());

// The schema's enumeration is the one in the file.
static_assert(static_cast<uint32_t>(RegionKind::Input) == static_cast<uint32_t>(fb::RegionKind::Input) &&
              static_cast<uint32_t>(RegionKind::Output) == static_cast<uint32_t>(fb::RegionKind::Output) &&
              static_cast<uint32_t>(RegionKind::Constants) == static_cast<uint32_t>(fb::RegionKind::Constants) &&
              static_cast<uint32_t>(RegionKind::Scratch) == static_cast<uint32_t>(fb::RegionKind::Scratch) &&
              static_cast<uint32_t>(fb::RegionKind::MAX) == kNumRegionKinds - 1);

std::string_view toString(RegionKind kind) {
  const auto number = static_cast<size_t>(kind);
  return number < kRegionKindNames.size() ? kRegionKindNames[number] : "?";
}

} // namespace avocet::cache
