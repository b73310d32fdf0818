//===- TileWaits.h - How much a tile waits for another --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILEWAITS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILEWAITS_H

#include "avocet/compiler/Schedule/Core/RowFlow.h"
#include "avocet/compiler/Schedule/Core/TileCommand.h"

namespace avocet::compiler::schedule {

/// Finds Step::waits for the tiles of a sequence, one after the other.
class TileWaits {
public:
  /// The problem must outlive the object.
  explicit TileWaits(const Problem &problem) : problem_(problem) {}

  /// Share of the tile before this one that makes the rows which its first block reads. The command is the whole tile,
  /// or a piece of it; pieces of a tile do not wait for each other, and those of rows run from the first row to the
  /// last.
  double next(const Tile &tile, const firmware::CommandBody &command);

private:
  double shareBefore(const Tile &tile, uint32_t blockRows) const;
  double shareMaking(const Operand &output, const Operand &input, Rows rows) const;
  double shareMaking(uint32_t end) const;

  const Problem &problem_;
  uint32_t operation_ = kNone; ///< of the tile before
  Rows rows_;                  ///< of its last command
  uint32_t blockRows_ = 1;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILEWAITS_H
