//===- NdShape.h - Shapes of any rank in a kernel's parameters ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A feature map has three axes, an operand of a network up to eight. Kernels that need more axes read dense maps as
// plain rows of elements, with the shape in their parameter words.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_NDSHAPE_H
#define AVOCET_KERNELS_LIB_COMMON_NDSHAPE_H

#include "avocet/kernels/Kernel.h"
#include "common/Checks.h"
#include "common/FeatureMapView.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace avocet::kernels {

inline constexpr uint32_t kMaxRank = 8;

/// Ok if the elements of the map follow each other without gaps, from the first to the last.
inline Status checkDense(std::string_view name, const firmware::FeatureMap &map) {
  uint64_t pixel = uint64_t(map.channels) * firmware::sizeOf(map.type);
  bool rows = map.height == 1 || (map.rowStride == pixel * map.width && map.firstRow <= map.ringRows - map.height);
  bool pixels = map.width == 1 || map.pixelStride == pixel;
  return rows && pixels ? Status::ok() : ruleBroken(name, map.rowStride, "dense");
}

/// Ok if the map is dense and has as many elements as the product of the factors, which need not fit 64 bits.
inline Status checkDenseCount(std::string_view name, const firmware::FeatureMap &map,
                              std::initializer_list<uint64_t> factors) {
  AVOCET_RETURN_IF_ERROR(checkDense(name, map));
  uint64_t rest = elementCount(map);
  for (uint64_t factor : factors) {
    if (factor == 0 || rest % factor != 0)
      return ruleBroken(std::string(name) + ": extent", static_cast<int64_t>(factor), "a divisor of its elements");
    rest /= factor;
  }
  return rest == 1 ? Status::ok() : ruleBroken(name, static_cast<int64_t>(elementCount(map)), "as large as its shape");
}

/// First element of a dense map.
template <typename T> T *denseData(const firmware::FeatureMap &map, std::span<uint8_t> sram) {
  return FeatureMapView<T>(map, sram).row(0);
}

/// Whether an index is in [0, extent). The comparison without a sign covers both ends.
template <typename Index> bool isInside(Index index, uint32_t extent) {
  return static_cast<std::make_unsigned_t<Index>>(index) < extent;
}

/// The first of the indices that is outside of [0, extent).
template <typename Index> std::optional<BadIndex> badIndexIn(std::span<const Index> indices, uint32_t extent) {
  // Good indices are the common case: this loop has no exit, so that the compiler vectorizes it.
  bool areInside = true;
  for (const Index index : indices)
    areInside &= isInside(index, extent);
  if (areInside)
    return std::nullopt;
  const auto bad = std::ranges::find_if(indices, [&](Index index) { return !isInside(index, extent); });
  return BadIndex{*bad, extent};
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_NDSHAPE_H
