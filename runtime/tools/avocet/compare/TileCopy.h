//===- TileCopy.h - From tiles in on-chip memory to tensors -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_TILECOPY_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_TILECOPY_H

#include "sources/SourceMap.h"

#include <span>

namespace avocet::tool {

/// A dense tensor in the storage layout [rows, width, channels].
struct DenseTensor {
  std::span<uint8_t> bytes;
  uint32_t width = 0, channels = 0;
};

/// Copies the elements of a tile to its place in a tensor, pixel by pixel; those outside of either memory are left out.
/// Returns the number of elements of the tile.
uint64_t copyTile(const firmware::FeatureMap &tile, std::span<const uint8_t> sram, const ElementPlace &place,
                  const DenseTensor &tensor);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_TILECOPY_H
