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

#include "avocet/firmware_iface/DataType.h"
#include "avocet/firmware_iface/FeatureMap.h"

#include <cstdint>

namespace avocet::compiler {

/// The first element of a tile, in the storage layout of its operation's first result.
struct TilePlace {
  uint32_t row = 0, column = 0, channel = 0;
};

/// The place of a part of a tile that writes `part`, where the tile writes `whole`.
inline TilePlace placeOfPart(TilePlace place, const firmware::FeatureMap &whole, const firmware::FeatureMap &part) {
  if (whole.ringRows)
    place.row += (part.firstRow + whole.ringRows - whole.firstRow) % whole.ringRows;
  uint32_t bytes = part.address - whole.address;
  if (whole.rowStride && uint64_t{whole.width} * whole.pixelStride <= whole.rowStride) {
    place.row += bytes / whole.rowStride;
    bytes %= whole.rowStride;
  }
  if (whole.pixelStride) {
    place.column += bytes / whole.pixelStride;
    bytes %= whole.pixelStride;
  }
  place.channel += bytes / firmware::sizeOf(whole.type);
  return place;
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_TILEPLACE_H
