//===- TilePlace.h - Where a tile begins in its result ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places of tiles for the source map, without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_TILEPLACE_H
#define AVOCET_COMPILER_YIELD_TILEPLACE_H

#include "avocet/firmware_iface/FeatureMap.h"

#include <cstdint>
#include <span>

namespace avocet::compiler {

/// The first element of a tile, in the storage layout of its operation's first result.
struct TilePlace {
  uint32_t row = 0, column = 0, channel = 0;
  /// Whether element (y, x, c) of the tile's map is element (row + y, column + x, channel + c) of the result. Otherwise
  /// the map has the tile's elements in rows of its own, or the tile is not a part of the result: a state.
  bool isBox = true;

  bool operator==(const TilePlace &) const = default;
};

/// An axis of a loop over elements: its steps, and the bytes between them.
struct ElementAxis {
  uint64_t extent = 1, stride = 0;
};

/// Whether two loop nests, outermost axis first, visit the same bytes in the same order.
bool visitSameBytes(std::span<const ElementAxis> a, std::span<const ElementAxis> b);

/// The place of a part of a tile that writes `part`, where the tile writes `whole`. Of a tile that is no box only the
/// place of the tile is known. A part whose map has other rows or pixels than `whole` is no box.
TilePlace placeOfPart(const TilePlace &place, const firmware::FeatureMap &whole, const firmware::FeatureMap &part);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_TILEPLACE_H
