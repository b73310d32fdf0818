//===- TileWaits.cpp - How much a tile waits for others -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWaits.h"

#include "avocet/base/Rounding.h"

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

/// Share of the tile before that makes rows [0, end) of its output: whole blocks.
static double shareMaking(Rows rows, uint32_t blockRows, uint32_t end) {
  if (end <= rows.begin)
    return 0;
  const uint32_t blocks = divideUp(std::min(end, rows.end) - rows.begin, blockRows);
  return std::min(1.0, double(blocks) * blockRows / rows.count());
}

/// Rows of the buffer of an output.
static uint32_t ringRowsOf(const CommandBody &command, size_t output) {
  return std::visit(
      [&](const auto &body) -> uint32_t {
        if constexpr (requires { body.outputs; })
          return body.outputs[output].ringRows;
        else if constexpr (requires { body.output.ringRows; })
          return body.output.ringRows;
        else
          return UINT32_MAX;
      },
      command);
}

TileWait TileWaits::next(const Tile &tile, const CommandBody &command, uint32_t number) {
  const uint32_t rows = rowsOf(command, tile.rows.count()), blockRows = blockRowsOf(command, rows);
  Last &last = last_[problem_.operations[tile.operation].isOnDsp()];
  const TileWait wait{shareBefore(last, tile, blockRows), lastOfOtherEngine(tile, command)};
  last = {tile.operation, {tile.rows.end - rows, tile.rows.end}, blockRows};
  addAccesses(tile, number);
  return wait;
}

double TileWaits::shareBefore(const Last &last, const Tile &tile, uint32_t blockRows) const {
  if (last.operation == kNone || tile.operation == last.operation)
    return 0;
  const Operation &op = problem_.operations[tile.operation], &writer = problem_.operations[last.operation];
  const Rows first{tile.rows.begin, std::min(tile.rows.begin + blockRows, tile.rows.end)};
  double share = 0;
  for (uint32_t i = 0; i < op.inputs.size(); ++i)
    for (const Operand &output : writer.outputs)
      if (!op.inputs[i].isConstant && op.inputs[i].id == output.id)
        share = std::max(share, shareMaking(last, output, op.inputs[i], inputRows(op, i, first)));
  return share;
}

/// The same for rows that one operand reads of one output.
double TileWaits::shareMaking(const Last &last, const Operand &output, const Operand &input, Rows rows) const {
  const MapShape &shape = problem_.tensors[output.id].shape;
  if (!mayOverlap(shape, input, output))
    return 0;
  const uint32_t end = tensorRows(problem_, input, rows).end;
  const std::optional<RowPlaces> places = rowPlacesIn(shape, output);
  return schedule::shareMaking(last.rows, last.blockRows, places ? places->countBefore(end) : output.shape.height);
}

template <typename Visit> void TileWaits::visitReads(const Tile &tile, Visit visit) const {
  const Operation &op = problem_.operations[tile.operation];
  for (uint32_t i = 0; i < op.inputs.size(); ++i)
    if (!op.inputs[i].isConstant)
      visit(op.inputs[i].id, tensorRows(problem_, op.inputs[i], inputRows(op, i, tile.rows)));
  if (op.dynamicScale != kNone)
    visit(op.dynamicScale, Rows{0, 1});
}

/// Rows of the tensor that the tile makes in an output.
static Rows madeRows(const Problem &problem, const Tile &tile, const Operand &output) {
  const bool rowWise = problem.operations[tile.operation].rowWise;
  return tensorRows(problem, output, rowWise ? tile.rows : Rows{0, output.shape.height});
}

void TileWaits::addAccesses(const Tile &tile, uint32_t number) {
  const Operation &op = problem_.operations[tile.operation];
  visitReads(tile, [&](uint32_t tensor, Rows rows) { reads_[tensor].push_back({rows, number, op.isOnDsp()}); });
  for (const Operand &output : op.outputs)
    writes_[output.id].push_back({madeRows(problem_, tile, output), number, op.isOnDsp()});
}

/// Rows of the tensor in a buffer with `ringRows` rows of the operand.
uint32_t TileWaits::tensorRowsOf(const Operand &operand, uint32_t ringRows) const {
  const std::optional<RowPlaces> places = rowPlacesIn(problem_.tensors[operand.id].shape, operand);
  return uint32_t(std::min<uint64_t>(uint64_t(ringRows) * (places ? places->step : 1), UINT32_MAX));
}

/// The tile's results take the places of rows that the other engine may still read.
uint32_t TileWaits::lastOfOtherEngine(const Tile &tile, const CommandBody &command) const {
  const Operation &op = problem_.operations[tile.operation];
  uint32_t last = kNone;
  const auto add = [&](const std::vector<Access> &accesses, Rows rows) {
    const auto found = std::find_if(accesses.rbegin(), accesses.rend(), [&](const Access &access) {
      return access.rows.begin < rows.end && rows.begin < access.rows.end;
    });
    if (found != accesses.rend() && found->isDsp != op.isOnDsp() && (last == kNone || found->tile > last))
      last = found->tile;
  };
  visitReads(tile, [&](uint32_t tensor, Rows rows) { add(writes_[tensor], rows); });
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const Rows made = madeRows(problem_, tile, op.outputs[i]);
    if (const uint32_t ring = tensorRowsOf(op.outputs[i], ringRowsOf(command, i)); made.end > ring)
      add(reads_[op.outputs[i].id], {made.begin - std::min(made.begin, ring), made.end - ring});
  }
  return last;
}

} // namespace avocet::compiler::schedule
