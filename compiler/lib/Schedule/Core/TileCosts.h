//===- TileCosts.h - Time of an operation in stripes ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOSTS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOSTS_H

#include "avocet/compiler/Schedule/Core/Problem.h"
#include "avocet/kernels/BlockChoice.h"

#include <unordered_map>

namespace avocet::compiler::schedule {

/// Caches the cost of a tile of given rows. One per problem.
class TileCosts {
public:
  explicit TileCosts(const Problem &problem) : problem_(problem), chooser_(problem.target) {}

  /// Cycles of the whole operation made in stripes of `rows` output rows, each in `parts` parts of the output channels.
  uint64_t inStripes(uint32_t operation, uint32_t rows, uint32_t parts = 1);

  kernels::BlockChooser &chooser() { return chooser_; }

private:
  struct Key {
    uint32_t operation, rows, parts;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return (size_t(key.operation) << 32 ^ size_t(key.parts) << 20 ^ key.rows) * 0x9E3779B97F4A7C15u;
    }
  };
  /// Cycles of all stripes with a number of granules of channels (all, if the operation has no granules).
  uint64_t stripes(uint32_t operation, uint32_t rows, uint32_t granules);
  uint64_t tile(uint32_t operation, uint32_t firstRow, uint32_t rows, uint32_t channels);

  const Problem &problem_;
  kernels::BlockChooser chooser_;
  std::unordered_map<Key, uint64_t, KeyHash> known_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOSTS_H
