//===- RowMovesTest.cpp - Moves of rows instead of tensors ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMoves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace avocet::compiler {
namespace {

using kernels::Move;
using kernels::MoveAxis;

/// Input element by output element.
std::map<int64_t, int64_t> copiesOf(const Move &move) {
  std::map<int64_t, int64_t> copies{{move.outputOffset, move.inputOffset}};
  for (const MoveAxis &axis : move.axes) {
    std::map<int64_t, int64_t> all;
    for (uint32_t i = 0; i < axis.extent; ++i)
      for (const auto [to, from] : copies)
        all[to + int64_t(i) * axis.outputStride] = from + int64_t(i) * axis.inputStride;
    copies = std::move(all);
  }
  return copies;
}

/// The transpose of a tensor of `shape` with the last axes permuted.
Move transposed(const std::vector<uint32_t> &shape, const std::vector<size_t> &permutation) {
  const auto stridesOf = [](const std::vector<uint32_t> &extents) {
    std::vector<int32_t> strides(extents.size(), 1);
    for (size_t axis = extents.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * int32_t(extents[axis]);
    return strides;
  };
  std::vector<uint32_t> result;
  for (size_t axis : permutation)
    result.push_back(shape[axis]);
  const std::vector<int32_t> from = stridesOf(shape), to = stridesOf(result);
  Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    move.axes.push_back({result[axis], from[permutation[axis]], to[axis]});
  return kernels::simplified(move);
}

TEST(RowMovesTest, RowsMoveWhatTheWholeMoves) {
  std::mt19937 random(3);
  size_t divided = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint32_t> shape(2 + random() % 3);
    uint64_t elements = 1;
    for (uint32_t &extent : shape)
      elements *= extent = 1 + random() % 4;
    std::vector<size_t> permutation(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis)
      permutation[axis] = axis;
    std::shuffle(permutation.begin() + int64_t(random() % 2), permutation.end(), random);
    const Move whole = transposed(shape, permutation);
    for (uint64_t rows = 2; rows <= elements; ++rows) {
      if (elements % rows != 0)
        continue;
      const uint64_t row = elements / rows;
      const auto ofRows = rowMoves({false, 0, {whole}}, rows, std::array{row}, row);
      if (!ofRows)
        continue;
      ++divided;
      EXPECT_TRUE(ofRows->areOfRows);
      const std::vector<Move> again = kernels::wholeMoves(*ofRows, uint32_t(rows), std::array{row}, row);
      ASSERT_EQ(copiesOf(again[0]), copiesOf(whole)) << "round " << round << ", " << rows << " rows";
    }
  }
  EXPECT_GT(divided, 1000u);
}

TEST(RowMovesTest, ShuffleOfChannelsMovesPixels) {
  // 4 rows of 5 pixels with 2 groups of 3 channels.
  const Move shuffle = transposed({4, 5, 2, 3}, {0, 1, 3, 2});
  const auto ofRows = rowMoves({false, 0, {shuffle}}, 4, std::array<uint64_t, 1>{30}, 30);
  ASSERT_TRUE(ofRows);
  EXPECT_EQ(ofRows->moves[0].axes, (std::vector<MoveAxis>{{5, 6, 6}, {3, 1, 2}, {2, 3, 1}}));
}

TEST(RowMovesTest, MovesBetweenRowsStayWhole) {
  EXPECT_FALSE(rowMoves({false, 0, {transposed({4, 5, 3}, {1, 0, 2})}}, 4, std::array<uint64_t, 1>{15}, 15));
  // A part of the rows, and rows in reverse.
  EXPECT_FALSE(rowMoves({false, 0, {{0, 0, 0, {{3, 5, 5}, {5, 1, 1}}}}}, 4, std::array<uint64_t, 1>{5}, 5));
  EXPECT_FALSE(rowMoves({false, 0, {{0, 15, 0, {{4, -5, 5}, {5, 1, 1}}}}}, 4, std::array<uint64_t, 1>{5}, 5));
  // The second row of the result from the first one.
  EXPECT_FALSE(rowMoves({false, 0, {{0, 0, 5, {{4, 5, 5}, {5, 1, 1}}}}}, 4, std::array<uint64_t, 1>{5}, 10));
}

} // namespace
} // namespace avocet::compiler
