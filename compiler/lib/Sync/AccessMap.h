//===- AccessMap.h - Last accesses by byte range ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every byte range of one memory: the last command that wrote it and, per engine, the last command that has read it
// since. This is sufficient, because all writes of a byte are ordered, and every read before a write is ordered before
// that write.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SYNC_ACCESSMAP_H
#define AVOCET_COMPILER_LIB_SYNC_ACCESSMAP_H

#include "avocet/compiler/Sync/StreamSync.h"

#include <array>
#include <map>

namespace avocet::compiler {

/// For each engine, a position in its stream, counted from 1; 0 means none.
using Positions = std::array<uint32_t, kMaxEngines>;

class AccessMap {
public:
  /// Records a read of [begin, end) by command `position` of `engine` and raises `needed` to the writes it must follow.
  void read(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed);

  /// Records a write and raises `needed` to the reads and writes it must follow.
  void write(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed);

private:
  struct Access {
    uint64_t end = 0;
    uint32_t writer = 0;         ///< engine
    uint32_t writerPosition = 0; ///< 0: never written
    Positions readers{};         ///< since the last write
  };
  using Map = std::map<uint64_t, Access>;

  /// Makes `at` a border between entries if it lies inside one; returns the first entry at or after it.
  Map::iterator splitAt(uint64_t at);

  Map map_; ///< by first byte; entries do not overlap
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_SYNC_ACCESSMAP_H
