//===- TileCosts.cpp - Time of an operation in stripes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCosts.h"

#include "Lowering.h"
#include "TileCommand.h"
#include "Yield/SplitCommand.h"
#include "Yield/YieldPoints.h"
#include "avocet/base/Rounding.h"

#include <algorithm>

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

StepTime TileCosts::tile(const Key &key, uint32_t firstRow, uint32_t rows, uint32_t channels) {
  firmware::CommandBody command = unplacedCommand(problem_, {key.operation, {firstRow, firstRow + rows}, 0, channels});
  StepTime time = chooseBlock(chooser_, *problem_.target, problem_.operations[key.operation], command, key.use);
  pinBlock(problem_, key.operation, command, time);
  return time;
}

TilesTime TileCosts::inStripes(uint32_t operation, uint32_t rows, uint32_t parts, kernels::PortUse use) {
  const Operation &op = problem_.operations[operation];
  const MapShape &shape = op.outputs[0].shape;
  rows = std::min(rows, shape.height);
  const Key key{operation, rows, parts, use};
  auto [entry, isNew] = known_.try_emplace(key);
  if (!isNew)
    return entry->second;
  const uint32_t granules = op.channelGranule ? divideUp(shape.channels, op.channelGranule) : parts;
  const uint32_t large = granules % parts; // parts with one granule more than the others
  TilesTime sum;
  addStripes(sum, key, granules / parts, parts - large);
  if (large)
    addStripes(sum, key, granules / parts + 1, large);
  return entry->second = sum;
}

/// Adds all stripes of `times` parts with a number of granules of channels (all, if the operation has no granules).
void TileCosts::addStripes(TilesTime &sum, const Key &key, uint32_t granules, uint64_t times) {
  const Operation &op = problem_.operations[key.operation];
  const MapShape &shape = op.outputs[0].shape;
  const uint32_t channels = op.channelGranule ? std::min(shape.channels, granules * op.channelGranule) : shape.channels;
  const uint64_t issueCycles = problem_.target->mac().issueCycles;
  auto add = [&](const StepTime &time, uint64_t count) {
    sum.cycles += count * time.cycles;
    sum.fill += count * time.fill;
    sum.exposed += count * (time.fill - std::min(time.fill, time.last) + issueCycles);
    sum.drain += count * time.drain;
    sum.portBytes += count * time.portBytes;
  };
  // One tile from the middle represents all; the last tile has the remaining rows.
  const uint32_t rows = key.rows, count = shape.height / rows, rest = shape.height % rows;
  add(tile(key, std::min(count / 2 * rows, shape.height - rows), rows, channels), times * count);
  if (rest)
    add(tile(key, shape.height - rest, rest, channels), times);
}

} // namespace avocet::compiler::schedule
