//===- RowMoves.cpp - Moves of tensors as moves of their rows -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMoves.h"

#include <cstdlib>

namespace avocet::compiler {

using kernels::Move;
using kernels::MoveAxis;

/// Whether all elements of one side of the move are in the first row.
static bool staysInRow(const Move &move, uint32_t offset, int32_t MoveAxis::*stride, uint64_t row) {
  int64_t least = offset, most = offset;
  for (const MoveAxis &axis : move.axes) {
    const int64_t reach = int64_t(axis.extent - 1) * (axis.*stride);
    (reach < 0 ? least : most) += reach;
  }
  return least >= 0 && uint64_t(most) < row;
}

/// Takes the walk over all rows, which the outermost axes must be, from the move.
static bool takeRows(Move &move, uint64_t rows, int64_t inputRow, int64_t outputRow) {
  std::vector<MoveAxis> inner;
  for (const MoveAxis &axis : move.axes) {
    if (rows == 1) {
      inner.push_back(axis);
    } else if (axis.extent <= rows) { // so many blocks of rows
      if (rows % axis.extent != 0)
        return false;
      rows /= axis.extent;
      if (axis.inputStride != int64_t(rows) * inputRow || axis.outputStride != int64_t(rows) * outputRow)
        return false;
    } else { // all rows, and a part of each
      const uint64_t part = axis.extent / rows;
      if (axis.extent % rows != 0 || axis.inputStride * int64_t(part) != inputRow ||
          axis.outputStride * int64_t(part) != outputRow)
        return false;
      inner.push_back({uint32_t(part), axis.inputStride, axis.outputStride});
      rows = 1;
    }
  }
  move.axes = std::move(inner);
  return rows == 1;
}

std::optional<kernels::RearrangeParameters> rowMoves(const kernels::RearrangeParameters &parameters, uint64_t rows,
                                                     std::span<const uint64_t> inputRows, uint64_t outputRow) {
  kernels::RearrangeParameters result = parameters;
  result.areOfRows = true;
  for (Move &move : result.moves) {
    const uint64_t inputRow = inputRows[move.input];
    if (!takeRows(move, rows, int64_t(inputRow), int64_t(outputRow)) ||
        !staysInRow(move, move.inputOffset, &MoveAxis::inputStride, inputRow) ||
        !staysInRow(move, move.outputOffset, &MoveAxis::outputStride, outputRow))
      return std::nullopt;
  }
  return result;
}

} // namespace avocet::compiler
