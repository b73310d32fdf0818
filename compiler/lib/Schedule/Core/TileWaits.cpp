//===- TileWaits.cpp - How much a tile waits for another ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWaits.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Rows of the command's output, at most those of its tile.
uint32_t rowsOf(const CommandBody &command, uint32_t rowsOfTile) {
  uint32_t rows = rowsOfTile;
  std::visit(
      [&](const auto &body) {
        if constexpr (requires { body.output.height; })
          rows = std::clamp(body.output.height, 1u, rowsOfTile);
      },
      command);
  return rows;
}

/// Rows that the engine finishes together: its block, or all of a DSP kernel's.
uint32_t blockRowsOf(const CommandBody &command, uint32_t rows) {
  uint32_t blockRows = rows;
  std::visit(
      [&](const auto &body) {
        if constexpr (requires { body.block; })
          blockRows = std::clamp(body.block.height, 1u, rows);
      },
      command);
  return blockRows;
}

} // namespace

double TileWaits::next(const Tile &tile, const CommandBody &command) {
  const uint32_t rows = rowsOf(command, tile.rows.count()), blockRows = blockRowsOf(command, rows);
  const double waits = shareBefore(tile, blockRows);
  operation_ = tile.operation;
  rows_ = {tile.rows.end - rows, tile.rows.end};
  blockRows_ = blockRows;
  return waits;
}

double TileWaits::shareBefore(const Tile &tile, uint32_t blockRows) const {
  if (operation_ == kNone || tile.operation == operation_)
    return 0;
  const Operation &op = problem_.operations[tile.operation], &writer = problem_.operations[operation_];
  const Rows first{tile.rows.begin, std::min(tile.rows.begin + blockRows, tile.rows.end)};
  double share = 0;
  for (uint32_t i = 0; i < op.inputs.size(); ++i)
    for (const Operand &output : writer.outputs)
      if (!op.inputs[i].isConstant && op.inputs[i].id == output.id)
        share = std::max(share, shareMaking(output, op.inputs[i], inputRows(op, i, first)));
  return share;
}

/// The same for rows that one operand reads of one output.
double TileWaits::shareMaking(const Operand &output, const Operand &input, Rows rows) const {
  const MapShape &shape = problem_.tensors[output.id].shape;
  if (!mayOverlap(shape, input, output))
    return 0;
  const uint32_t end = tensorRows(problem_, input, rows).end;
  const std::optional<uint32_t> first = firstRowIn(shape, output);
  return shareMaking(first ? end - std::min(end, *first) : output.shape.height);
}

/// Share of the tile before this one that makes rows [0, end) of its output: whole blocks.
double TileWaits::shareMaking(uint32_t end) const {
  if (end <= rows_.begin)
    return 0;
  const uint32_t blocks = (std::min(end, rows_.end) - rows_.begin + blockRows_ - 1) / blockRows_;
  return std::min(1.0, double(blocks) * blockRows_ / rows_.count());
}

} // namespace avocet::compiler::schedule
