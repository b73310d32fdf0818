//===- TilePlace.cpp - Where a tile begins in its result ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Yield/TilePlace.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace avocet::compiler {

using namespace firmware;

namespace {

/// The nest without axes of one step, and with neighbors joined that are one axis.
std::vector<ElementAxis> joined(std::span<const ElementAxis> axes) {
  std::vector<ElementAxis> result;
  for (const ElementAxis &axis : axes) {
    if (axis.extent == 1)
      continue;
    if (!result.empty() && result.back().stride == axis.stride * axis.extent)
      result.back() = {result.back().extent * axis.extent, axis.stride};
    else
      result.push_back(axis);
  }
  return result;
}

/// Divides the bytes from the start of a map's ring to an element of it into row, column and channel.
class ElementFinder {
public:
  explicit ElementFinder(const FeatureMap &map) : map_(map) {}

  /// Nullopt: there is no such element.
  std::optional<TilePlace> find(uint64_t bytes) {
    // Rows may lie between the pixels of a row.
    if (map_.pixelStride > map_.rowStride)
      takeColumn(bytes);
    takeRow(bytes);
    if (map_.pixelStride <= map_.rowStride)
      takeColumn(bytes);
    place_.channel = static_cast<uint32_t>(bytes / sizeOf(map_.type));
    const bool isInside = place_.row < map_.height && place_.column < map_.width && place_.channel < map_.channels;
    return isInside ? std::optional(place_) : std::nullopt;
  }

private:
  void takeRow(uint64_t &bytes) {
    const bool hasRows = map_.ringRows > 1 && map_.rowStride;
    const uint64_t slot = hasRows ? bytes / map_.rowStride : 0;
    bytes -= slot * map_.rowStride;
    if (hasRows)
      place_.row = static_cast<uint32_t>((slot + map_.ringRows - map_.firstRow) % map_.ringRows);
  }

  void takeColumn(uint64_t &bytes) {
    if (map_.width <= 1 || !map_.pixelStride)
      return;
    place_.column = static_cast<uint32_t>(bytes / map_.pixelStride);
    bytes %= map_.pixelStride;
  }

  const FeatureMap &map_;
  TilePlace place_;
};

/// Whether `part`, which begins at element `at` of `whole`, has the rows and pixels of it from there on.
bool isBoxOf(const FeatureMap &whole, const TilePlace &at, const FeatureMap &part) {
  const bool hasRows = part.height == 1 || (part.rowStride == whole.rowStride && part.ringRows == whole.ringRows);
  const bool hasPixels = part.width == 1 || part.pixelStride == whole.pixelStride;
  return hasRows && hasPixels && part.type == whole.type && at.row + part.height <= whole.height &&
         at.column + part.width <= whole.width && at.channel + part.channels <= whole.channels;
}

} // namespace

bool visitSameBytes(std::span<const ElementAxis> a, std::span<const ElementAxis> b) {
  return std::ranges::equal(joined(a), joined(b), [](const ElementAxis &x, const ElementAxis &y) {
    return x.extent == y.extent && x.stride == y.stride;
  });
}

TilePlace placeOfPart(const TilePlace &place, const FeatureMap &whole, const FeatureMap &part) {
  if (!place.isBox)
    return place;
  // A part may count its rows from another row of the ring.
  const uint64_t bytes = (part.address - whole.address) + uint64_t{part.firstRow} * part.rowStride;
  const std::optional<TilePlace> at = ElementFinder(whole).find(bytes);
  if (!at)
    return {place.row, place.column, place.channel, false};
  return {place.row + at->row, place.column + at->column, place.channel + at->channel, isBoxOf(whole, *at, part)};
}

} // namespace avocet::compiler
