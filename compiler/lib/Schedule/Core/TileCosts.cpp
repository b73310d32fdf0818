//===- TileCosts.cpp - Time of an operation in stripes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCosts.h"

#include "avocet/compiler/Schedule/Core/Lowering.h"
#include "avocet/compiler/Schedule/Core/TileCommand.h"

#include <algorithm>

namespace avocet::compiler::schedule {

uint64_t TileCosts::tile(uint32_t operation, uint32_t firstRow, uint32_t rows, uint32_t channels) {
  firmware::CommandBody command = unplacedCommand(problem_, {operation, {firstRow, firstRow + rows}, 0, channels});
  return chooseBlock(chooser_, *problem_.target, command);
}

uint64_t TileCosts::inStripes(uint32_t operation, uint32_t rows, uint32_t parts) {
  const Operation &op = problem_.operations[operation];
  const MapShape &shape = op.outputs[0].shape;
  rows = std::min(rows, shape.height);
  auto [entry, isNew] = known_.try_emplace(Key{operation, rows, parts});
  if (!isNew)
    return entry->second;
  // One tile from the middle represents all; the last tile has the remaining rows.
  const uint32_t channels = parts == 1 ? shape.channels : std::max(1u, channelOfPart(op, 1, parts));
  const uint32_t stripes = shape.height / rows, rest = shape.height % rows;
  const uint32_t middle = stripes / 2 * rows;
  uint64_t cycles = stripes * tile(operation, std::min(middle, shape.height - rows), rows, channels);
  if (rest)
    cycles += tile(operation, shape.height - rest, rest, channels);
  return entry->second = parts * cycles;
}

} // namespace avocet::compiler::schedule
