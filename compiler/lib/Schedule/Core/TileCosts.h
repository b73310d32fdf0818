//===- TileCosts.h - Time of an operation in stripes ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job stops only between commands, so a command that takes longer than yieldBound() runs in pieces. Each piece fills
// and drains the engine again. The schedule is made of the pieces: then its times include that, and transfers can run
// between them. Commands of the DSP, whose pieces may have fewer operands, are cut after the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOSTS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOSTS_H

#include "Sequence.h"
#include "Yield/CommandCosts.h"
#include "avocet/kernels/BlockChoice.h"

#include <unordered_map>

namespace avocet::compiler::schedule {

struct TilePiece {
  firmware::CommandBody command;
  StepTime time;
};

class TileCutter {
public:
  /// The target must outlive the object.
  explicit TileCutter(const firmware::Target &target);

  /// Whether a tile must be cut.
  bool isLong(const firmware::CommandBody &command, const StepTime &time) const;
  /// The pieces of a tile in the order in which they must run; the tile alone if it is short or cannot be cut.
  std::vector<TilePiece> cut(firmware::CommandBody command, const StepTime &time);

private:
  const firmware::Target &target_;
  const uint64_t bound_;
  CommandCosts costs_;
};

/// Sums over the tiles of an operation.
struct TilesTime {
  uint64_t cycles = 0, fill = 0, drain = 0, portBytes = 0; ///< as in StepTime
  uint64_t exposed = 0; ///< of `fill`: what a tile of the same operation before it does not hide
  uint64_t busy() const { return cycles - fill - drain; }
};

/// Caches the cost of a tile of given rows. One per problem.
class TileCosts {
public:
  explicit TileCosts(const Problem &problem) : problem_(problem), chooser_(problem.target), cutter_(*problem.target) {}

  /// Sum of the tiles of the whole operation, made in stripes of `rows` output rows, each in `parts` parts of the
  /// output channels, with blocks for this part of the port.
  TilesTime inStripes(uint32_t operation, uint32_t rows, uint32_t parts = 1,
                      kernels::PortUse use = kernels::PortUse::WithTransfers);

  /// Takes over what an object for the same problem has computed.
  void absorb(TileCosts &other) {
    known_.merge(other.known_);
    chooser_.absorb(other.chooser_);
  }

  kernels::BlockChooser &chooser() { return chooser_; }
  TileCutter &cutter() { return cutter_; }

private:
  struct Key {
    uint32_t operation, rows, parts;
    kernels::PortUse use;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return (size_t(key.operation) << 32 ^ size_t(key.parts) << 20 ^ size_t(key.use) << 19 ^ key.rows) *
             0x9E3779B97F4A7C15u;
    }
  };
  void addStripes(TilesTime &sum, const Key &key, uint32_t granules, uint64_t times);
  StepTime tile(const Key &key, uint32_t firstRow, uint32_t rows, uint32_t channels);

  const Problem &problem_;
  kernels::BlockChooser chooser_;
  TileCutter cutter_;
  std::unordered_map<Key, TilesTime, KeyHash> known_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECOSTS_H
