//===- RearrangeParameters.cpp - Moves as parameter words -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Rearrange.h"
#include "common/Checks.h"

namespace avocet::kernels {

/// Whether one step of the outer axis equals a walk through the whole extent of the inner one.
static bool continues(const MoveAxis &outer, const MoveAxis &inner) {
  return outer.inputStride == int64_t(inner.extent) * inner.inputStride &&
         outer.outputStride == int64_t(inner.extent) * inner.outputStride &&
         uint64_t(outer.extent) * inner.extent <= UINT32_MAX;
}

Move simplified(const Move &move) {
  Move result = move;
  result.axes.clear();
  for (const MoveAxis &axis : move.axes) {
    if (axis.extent == 1)
      continue;
    if (!result.axes.empty() && continues(result.axes.back(), axis))
      result.axes.back() = {result.axes.back().extent * axis.extent, axis.inputStride, axis.outputStride};
    else
      result.axes.push_back(axis);
  }
  return result;
}

std::vector<Move> wholeMoves(const RearrangeParameters &parameters, uint32_t rows, std::span<const uint64_t> inputRows,
                             uint64_t outputRow) {
  std::vector<Move> moves = parameters.moves;
  for (Move &move : moves)
    if (parameters.areOfRows)
      move.axes.insert(move.axes.begin(),
                       {rows, static_cast<int32_t>(inputRows[move.input]), static_cast<int32_t>(outputRow)});
  return moves;
}

/// Added to the first word for moves of rows.
static constexpr uint32_t kOfRows = 4;

std::vector<uint32_t> packRearrange(const RearrangeParameters &parameters) {
  const auto high = static_cast<uint32_t>(parameters.fillBits >> 32);
  std::vector<uint32_t> words = {parameters.fill ? 1u : 0u, static_cast<uint32_t>(parameters.fillBits)};
  if (parameters.fill && high != 0) {
    words[0] = 2;
    words.push_back(high);
  }
  words[0] |= parameters.areOfRows ? kOfRows : 0;
  for (const Move &move : parameters.moves) {
    words.insert(words.end(), {move.input, move.inputOffset, move.outputOffset, uint32_t(move.axes.size())});
    for (const MoveAxis &axis : move.axes)
      words.insert(words.end(), {axis.extent, uint32_t(axis.inputStride), uint32_t(axis.outputStride)});
  }
  return words;
}

/// Removes one move from the start of `words`.
static Result<Move> takeMove(std::span<const uint32_t> &words) {
  if (words.size() < 4)
    return invalidArgument("parameters end inside a move");
  Move move{words[0], words[1], words[2], {}};
  const uint32_t rank = words[3];
  if (rank > kMaxMoveAxes)
    return ruleBroken("rank of a move", rank, "at most " + std::to_string(kMaxMoveAxes));
  words = words.subspan(4);
  if (words.size() < 3 * rank)
    return invalidArgument("parameters end inside the axes of a move");
  for (; move.axes.size() < rank; words = words.subspan(3))
    move.axes.push_back({words[0], int32_t(words[1]), int32_t(words[2])});
  return move;
}

Result<RearrangeParameters> unpackRearrange(std::span<const uint32_t> words) {
  if (words.size() < 2)
    return invalidArgument("parameters: " + std::to_string(words.size()) + " words, must be 2 or more");
  const uint32_t fill = words[0] & ~kOfRows;
  if (fill > 2)
    return ruleBroken("fill", words[0], "0, 1 or 2, or one of them plus 4");
  RearrangeParameters parameters{fill != 0, words[1], {}, (words[0] & kOfRows) != 0};
  const size_t first = fill == 2 ? 3 : 2;
  if (words.size() < first)
    return invalidArgument("parameters end inside the bits of the fill");
  if (first == 3)
    parameters.fillBits |= uint64_t(words[2]) << 32;
  for (words = words.subspan(first); !words.empty();) {
    AVOCET_ASSIGN_OR_RETURN(Move move, takeMove(words));
    parameters.moves.push_back(std::move(move));
  }
  return parameters;
}

} // namespace avocet::kernels
