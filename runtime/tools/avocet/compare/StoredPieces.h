//===- StoredPieces.h - Results that are computed in pieces -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_STOREDPIECES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_STOREDPIECES_H

#include "avocet/analysis/SourceMap.h"

#include <map>
#include <optional>
#include <span>

namespace avocet::tool {

/// A dense tensor in the storage layout [rows, width, channels].
struct DenseTensor {
  std::span<uint8_t> bytes;
  uint32_t width = 0, channels = 0;
};

/// Copies the elements of a tile to its place in a tensor, pixel by pixel; those outside of either memory are left out.
/// Returns the number of elements of the tile.
uint64_t copyTile(const firmware::FeatureMap &tile, std::span<const uint8_t> sram, const analysis::ElementPlace &place,
                  const DenseTensor &tensor);

/// Whether what a tile writes is a box of its operation's first result. The pieces of an operation that does not fit
/// on chip may have another shape: a run of elements, for example.
bool isBoxOfResult(const analysis::SourceMap &map, const analysis::CommandPlace &tile);

/// The operations with pieces of another shape. Where their elements belong is seen when transfers store the pieces in
/// the dense tensor outside of on-chip memory.
class StoredPieces {
public:
  /// `map` is borrowed.
  explicit StoredPieces(const analysis::SourceMap &map);

  /// The operation of whose result a transfer stores a part; none: another transfer.
  std::optional<uint32_t> operationOf(const analysis::CommandPlace &transfer) const;

  /// Copies that part from on-chip memory to its place in the dense result. Returns the number of bytes.
  uint64_t copy(const analysis::CommandPlace &transfer, std::span<const uint8_t> sram, std::span<uint8_t> result) const;

private:
  const analysis::SourceMap &map_;
  std::map<uint32_t, size_t> entries_; ///< of the memory plan, by operation
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_STOREDPIECES_H
