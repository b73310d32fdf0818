//===- SpaceMap.h - Occupied bytes over time --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks with assigned addresses, and queries for the time from which addresses stay free.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_SPACEMAP_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_SPACEMAP_H

#include "AddressRanges.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

class SpaceMap {
public:
  SpaceMap(uint64_t capacity, uint64_t alignment) : capacity_(capacity), alignment_(alignment) {}

  /// Returns the number of the block, for remove().
  uint32_t add(uint64_t address, uint64_t bytes, uint32_t first, uint32_t last);
  void remove(uint32_t block);

  struct Place {
    uint64_t address = 0;
    uint32_t first = 0;
  };
  /// The place that becomes free earliest, not before `notBefore`, and stays free until `last`; its start is `first` at
  /// the latest. Among the places free from the same time, the tightest gap, at its upper end.
  std::optional<Place> earliest(uint64_t bytes, uint32_t notBefore, uint32_t first, uint32_t last) const;

  /// The time from which the bytes [begin, end) stay free until `first`, at which they are free.
  uint32_t freeFrom(uint64_t begin, uint64_t end, uint32_t first) const;

private:
  struct Entry {
    uint64_t begin, end;
    uint32_t first, last;
  };
  /// Time is divided into buckets, so that a query visits only the blocks near its time.
  static constexpr uint32_t kBucketTime = 64;
  /// The blocks whose last time is in a bucket.
  struct Ends {
    std::vector<uint32_t> blocks; ///< by last time; of the same time, the one added first comes first
    AddressRanges addresses;      ///< of all of them together
  };
  void collect(uint32_t first, uint32_t last, std::vector<uint32_t> &found) const;

  uint64_t capacity_, alignment_;
  std::vector<Entry> entries_;
  std::vector<std::vector<uint32_t>> buckets_; ///< entries by time
  std::vector<Ends> ends_;                     ///< entries by their last time
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_SPACEMAP_H
