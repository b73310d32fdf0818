//===- Allocation.h - Addresses for blocks over time ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packing problem for all addresses: blocks with a size and a time range get addresses such that no two blocks
// share a byte at the same time. check() validates the problem, verify() an answer from any algorithm, and allocate()
// is one algorithm. All are deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_CORE_ALLOCATION_H
#define AVOCET_COMPILER_SCHEDULE_CORE_ALLOCATION_H

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
  /// Maximum number of bytes in use at one time; a lower bound for every answer.
  uint64_t pressure() const;
};

/// What an answer is good for.
enum class Preference {
  Fast,     ///< any answer: best fit in order of time is tried first
  LowPeaks, ///< low addresses at every time: the largest blocks are placed first, so that one large range stays free
};

/// An answer, or ResourceExhausted if the algorithms find none. The preference decides which one is tried first.
Result<std::vector<uint64_t>> allocate(const AllocationProblem &problem, Preference preference = Preference::Fast);

/// End of the highest byte that an answer uses.
uint64_t peakOf(const AllocationProblem &problem, const std::vector<uint64_t> &addresses);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_CORE_ALLOCATION_H
