//===- TileCopy.cpp - From tiles in on-chip memory to tensors ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include <cstring>

namespace avocet::tool {

uint64_t copyTile(const firmware::FeatureMap &tile, std::span<const uint8_t> sram, const ElementPlace &place,
                  const DenseTensor &tensor) {
  const uint64_t element = firmware::sizeOf(tile.type), run = tile.channels * element;
  for (uint64_t y = 0; y < tile.height; ++y)
    for (uint64_t x = 0; x < tile.width; ++x) {
      const uint64_t from =
          tile.address.offset + (tile.firstRow + y) % tile.ringRows * tile.rowStride + x * tile.pixelStride;
      const uint64_t pixel = (place.row + y) * tensor.width + place.column + x;
      const uint64_t to = (pixel * tensor.channels + place.channel) * element;
      if (from + run <= sram.size() && to + run <= tensor.bytes.size())
        std::memcpy(&tensor.bytes[to], &sram[from], run);
    }
  return uint64_t{tile.height} * tile.width * tile.channels;
}

} // namespace avocet::tool
