//===- TileCutter.cpp - Tiles in commands of limited time -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCutter.h"

#include "avocet/compiler/Schedule/Core/TileCommand.h"
#include "avocet/compiler/Yield/SplitCommand.h"
#include "avocet/compiler/Yield/YieldPoints.h"

namespace avocet::compiler::schedule {

TileCutter::TileCutter(const firmware::Target &target) : target_(target), bound_(yieldBound(target)), costs_(target) {}

bool TileCutter::isLong(const firmware::CommandBody &command, const StepTime &time) const {
  return time.cycles > bound_ && !std::holds_alternative<firmware::DspCommand>(command);
}

std::vector<TilePiece> TileCutter::cut(firmware::CommandBody command, const StepTime &time) {
  if (!isLong(command, time))
    return {{std::move(command), time}};
  std::vector<firmware::CommandBody> commands = splitCommand(costs_, command, bound_);
  if (commands.size() == 1)
    return {{std::move(command), time}};
  std::vector<TilePiece> pieces;
  for (firmware::CommandBody &piece : commands) {
    const StepTime ofPiece = timeOf(target_, piece);
    pieces.push_back({std::move(piece), ofPiece});
  }
  return pieces;
}

} // namespace avocet::compiler::schedule
