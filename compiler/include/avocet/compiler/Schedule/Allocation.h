//===- Allocation.h - Addresses for blocks over time ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packing problem behind every address: blocks with a size and a range of time must get addresses so that no two of
// them share a byte at the same time. check() judges the problem, verify() an answer, whoever found it; allocate() is
// one way to find answers. All deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_ALLOCATION_H
#define AVOCET_COMPILER_SCHEDULE_ALLOCATION_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

struct Block {
  uint64_t bytes = 0;
  uint32_t first = 0, last = 0;        ///< in use at times [first, last]
  std::optional<uint64_t> pinned = {}; ///< must have this address
};

struct AllocationProblem {
  std::vector<Block> blocks;
  uint64_t capacity = 0;
  uint64_t alignment = 1;

  /// InvalidArgument if a block is empty, larger than the capacity, ends before it starts or is pinned outside.
  Status check() const;
  /// Internal with the two blocks if an answer overlaps, leaves the capacity, is misaligned or moves a pinned block.
  Status verify(const std::vector<uint64_t> &addresses) const;
  /// Most bytes in use at one time; no answer can do with less.
  uint64_t pressure() const;
};

/// An answer, or ResourceExhausted if the algorithms found none. Tries best fit in order of time, then largest first.
Result<std::vector<uint64_t>> allocate(const AllocationProblem &problem);

/// Highest byte in use by an answer.
uint64_t peakOf(const AllocationProblem &problem, const std::vector<uint64_t> &addresses);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_ALLOCATION_H
