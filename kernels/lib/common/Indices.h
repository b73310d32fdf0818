//===- Indices.h - Indices outside of their range ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_INDICES_H
#define AVOCET_KERNELS_LIB_COMMON_INDICES_H

#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>

namespace avocet::kernels {

/// Whether an index is in [0, extent). The comparison without a sign covers both ends.
template <typename Index> bool isInside(Index index, uint32_t extent) {
  return static_cast<std::make_unsigned_t<Index>>(index) < extent;
}

/// The first of the indices that is outside of [0, extent).
template <typename Index> std::optional<BadIndex> badIndexIn(std::span<const Index> indices, uint32_t extent) {
  // Good indices are the common case: this loop has no exit, so that the compiler vectorises it.
  bool areInside = true;
  for (const Index index : indices)
    areInside &= isInside(index, extent);
  if (areInside)
    return std::nullopt;
  const auto bad = std::ranges::find_if(indices, [&](Index index) { return !isInside(index, extent); });
  return BadIndex{*bad, extent};
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_INDICES_H
