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
  const uint32_t granules = op.channelGranule ? (shape.channels + op.channelGranule - 1) / op.channelGranule : parts;
  const uint32_t large = granules % parts; // parts with one granule more than the others
  uint64_t cycles = (parts - large) * stripes(operation, rows, granules / parts);
  if (large)
    cycles += large * stripes(operation, rows, granules / parts + 1);
  return entry->second = cycles;
}

uint64_t TileCosts::stripes(uint32_t operation, uint32_t rows, uint32_t granules) {
  const Operation &op = problem_.operations[operation];
  const MapShape &shape = op.outputs[0].shape;
  const uint32_t channels = op.channelGranule ? std::min(shape.channels, granules * op.channelGranule) : shape.channels;
  // One tile from the middle represents all; the last tile has the remaining rows.
  const uint32_t count = shape.height / rows, rest = shape.height % rows;
  uint64_t cycles = count * tile(operation, std::min(count / 2 * rows, shape.height - rows), rows, channels);
  if (rest)
    cycles += tile(operation, shape.height - rest, rest, channels);
  return cycles;
}

} // namespace avocet::compiler::schedule
