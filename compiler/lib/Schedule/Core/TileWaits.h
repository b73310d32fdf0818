//===- TileWaits.h - How much a tile waits for others ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILEWAITS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILEWAITS_H

#include "RowFlow.h"
#include "TileCommand.h"

#include <array>
#include <vector>

namespace avocet::compiler::schedule {

/// Step::waits and Step::after of a tile.
struct TileWait {
  double share = 0;
  uint32_t after = kNone;
};

/// Finds what the tiles of a sequence wait for, one after the other.
class TileWaits {
public:
  /// The problem must outlive the object.
  explicit TileWaits(const Problem &problem)
      : problem_(problem), writes_(problem.tensors.size()), reads_(problem.tensors.size()) {}

  /// `share`: of the engine's tile before this one, what makes the rows which the first block reads. The command is the
  /// whole tile, or a piece of it; pieces of a tile do not wait for each other, and those of rows run from the first
  /// row to the last. `number`: of the tile in the sequence.
  TileWait next(const Tile &tile, const firmware::CommandBody &command, uint32_t number);

private:
  /// The tile before, of an engine.
  struct Last {
    uint32_t operation = kNone;
    Rows rows; ///< of its last command
    uint32_t blockRows = 1;
  };
  struct Access {
    Rows rows; ///< of the tensor
    uint32_t tile = 0;
    bool isDsp = false;
  };
  /// By tensor, in order.
  using Accesses = std::vector<std::vector<Access>>;

  double shareBefore(const Last &last, const Tile &tile, uint32_t blockRows) const;
  double shareMaking(const Last &last, const Operand &output, const Operand &input, Rows rows) const;
  uint32_t tensorRowsOf(const Operand &operand, uint32_t ringRows) const;
  uint32_t lastOfOtherEngine(const Tile &tile, const firmware::CommandBody &command) const;
  void addAccesses(const Tile &tile, uint32_t number);
  template <typename Visit> void visitReads(const Tile &tile, Visit visit) const;

  const Problem &problem_;
  std::array<Last, 2> last_; ///< by engine: array, DSP
  Accesses writes_, reads_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILEWAITS_H
