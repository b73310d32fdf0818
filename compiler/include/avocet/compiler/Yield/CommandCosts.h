//===- CommandCosts.h - Cycles and blocks, remembered -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a command costs, by everything of it but where its operands lie. The tiles of a layer and the pieces of a tile
// are few commands at many places, and ways of cutting a command are compared by their pieces.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_COMMANDCOSTS_H
#define AVOCET_COMPILER_YIELD_COMMANDCOSTS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace avocet::compiler {

/// One for a program; `target` must outlive it. Not thread-safe.
class CommandCosts {
public:
  explicit CommandCosts(const firmware::Target &target) : target_(target) {}

  const firmware::Target &target() const { return target_; }

  /// engineCycles() of Yield/DeviceTime.h.
  uint64_t cycles(const firmware::CommandBody &command);
  /// The best block of a command of the MAC array, whatever block it holds.
  firmware::Block block(const firmware::CommandBody &command);

private:
  using Key = std::vector<uint32_t>;
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };
  static Key keyOf(const firmware::CommandBody &command);

  const firmware::Target &target_;
  std::unordered_map<Key, uint64_t, KeyHash> cycles_;
  std::unordered_map<Key, firmware::Block, KeyHash> blocks_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_COMMANDCOSTS_H
