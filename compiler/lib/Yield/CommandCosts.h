//===- CommandCosts.h - Cached cycles and blocks of commands ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Caches the cost of a command; the key is all of the command except the addresses of its operands. The tiles of a
// layer and the pieces of a tile are few distinct commands at many addresses, and alternative splits are compared by
// their pieces.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_COMMANDCOSTS_H
#define AVOCET_COMPILER_LIB_YIELD_COMMANDCOSTS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace avocet::compiler {

/// Cycles for which a command occupies its engine, without contention: the kernel's cycles (MAC array, DSP), or the
/// bytes at the rate of the ports (DMA). 0 for a command that the target cannot run or that computes nothing. How long
/// a whole network takes is the scheduler's prediction (Schedule/Core/Sequence.h).
uint64_t engineCycles(const firmware::Target &target, const firmware::CommandBody &command);

/// One per program; `target` must outlive it. Not thread-safe.
class CommandCosts {
public:
  explicit CommandCosts(const firmware::Target &target) : target_(target) {}

  const firmware::Target &target() const { return target_; }

  /// engineCycles() of Yield/CommandCosts.h.
  uint64_t cycles(const firmware::CommandBody &command);
  /// The best block for a command of the MAC array; the block in `command` is ignored.
  firmware::Block block(const firmware::CommandBody &command);

  /// What splitCommand() remembers of a command and a bound: the way that gives the best pieces. nullopt: none yet.
  std::optional<uint32_t> &splitWay(const firmware::CommandBody &command, uint64_t bound);

private:
  using Key = std::vector<uint32_t>;
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };
  static Key keyOf(const firmware::CommandBody &command);

  const firmware::Target &target_;
  std::unordered_map<Key, uint64_t, KeyHash> cycles_;
  std::unordered_map<Key, firmware::Block, KeyHash> blocks_;
  std::unordered_map<Key, std::optional<uint32_t>, KeyHash> splitWays_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_COMMANDCOSTS_H
