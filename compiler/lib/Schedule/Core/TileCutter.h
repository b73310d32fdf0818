//===- TileCutter.h - Tiles in commands of limited time -------*- C++ -*-===//
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

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECUTTER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECUTTER_H

#include "avocet/compiler/Schedule/Core/Sequence.h"
#include "avocet/compiler/Yield/CommandCosts.h"

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

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TILECUTTER_H
