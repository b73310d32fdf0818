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

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_ALLOCATION_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_ALLOCATION_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

/// Bytes [begin, end) of a buffer.
struct BufferBytes {
  uint64_t begin = 0, end = 0;
  bool operator==(const BufferBytes &) const = default;
};

/// The bytes that a command writes to the buffer of its last address if it is a copy or fill of one run, and so
/// does not depend on other bytes of that buffer; else nullopt.
std::optional<BufferBytes> piecewiseWrite(const firmware::CommandBody &command);

/// A buffer that copies fill piece by piece comes into use piece by piece: until a piece arrives, its bytes may belong
/// to an older buffer. The first command that is no such copy brings the rest of the buffer into use. All bytes stay in
/// use until the buffer's last command. The bytes of one buffer that are in use so far.
class BufferUse {
public:
  /// Bytes of the buffer, of `size` in all, that were not in use before a command: those of `written`, which lie in the
  /// buffer, or of all if the command is no piecewise write to the buffer.
  std::vector<BufferBytes> begin(uint64_t size, const std::optional<BufferBytes> &written);

private:
  bool isWhole_ = false;
  std::map<uint64_t, uint64_t> used_; ///< begin to end, disjoint
};

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

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_ALLOCATION_H
