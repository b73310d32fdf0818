//===- RearrangeTest.cpp - Copies between tensors of any rank -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Rearrange.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace avocet::kernels {
namespace {

using namespace firmware;

DspCommand rearrangeCommand(const RearrangeParameters &parameters, std::vector<FeatureMap> inputs, FeatureMap output) {
  DspCommand command;
  command.kernel = *dspKernelNumber("rearrange");
  command.parameters = packRearrange(parameters);
  command.inputs = std::move(inputs);
  command.outputs = {output};
  return command;
}

Status checkOf(const DspCommand &command) {
  static const auto kTarget = testTarget();
  return findKernel(command)->check(*kTarget, command);
}

/// Calls f with each position of a box, outermost axis slowest.
void forEachPosition(const std::vector<uint32_t> &shape, const std::function<void(const std::vector<uint32_t> &)> &f) {
  std::vector<uint32_t> position(shape.size());
  while (true) {
    f(position);
    size_t axis = shape.size();
    while (axis > 0 && ++position[axis - 1] == shape[axis - 1])
      position[--axis] = 0;
    if (axis == 0)
      return;
  }
}

size_t indexOf(const std::vector<uint32_t> &position, const std::vector<uint32_t> &shape) {
  size_t index = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    index = index * shape[axis] + position[axis];
  return index;
}

size_t countOf(const std::vector<uint32_t> &shape) {
  size_t count = 1;
  for (uint32_t extent : shape)
    count *= extent;
  return count;
}

class RearrangeTest : public testing::TestWithParam<DataType> {
protected:
  FeatureMap dense(size_t count) {
    return sram_.map(GetParam(), 1, 1, static_cast<uint32_t>(count), Placement::Dense, random_);
  }

  Random random_{7};
  TestSram sram_;
};

TEST_P(RearrangeTest, TransposesEveryRank) {
  for (uint32_t rank = 1; rank <= 6; ++rank) {
    std::vector<uint32_t> shape(rank), permutation(rank), moved(rank);
    for (uint32_t axis = 0; axis < rank; ++axis) {
      shape[axis] = static_cast<uint32_t>(pick(random_, 1, 4));
      permutation[axis] = axis;
    }
    std::shuffle(permutation.begin(), permutation.end(), random_);
    for (uint32_t axis = 0; axis < rank; ++axis)
      moved[axis] = shape[permutation[axis]];
    FeatureMap in = dense(countOf(shape)), out = dense(countOf(shape));
    sram_.fill(in, random_);
    Move move;
    for (uint32_t axis = 0; axis < rank; ++axis) {
      auto after = [](const std::vector<uint32_t> &extents, size_t position) {
        return int32_t(countOf({extents.begin() + int64_t(position) + 1, extents.end()}));
      };
      move.axes.push_back({moved[axis], after(shape, permutation[axis]), after(moved, axis)});
    }
    for (const Move &form : {move, simplified(move)}) {
      checkAndRun(*testTarget(), rearrangeCommand({false, 0, {form}}, {in}, out), sram_);
      std::vector<double> from = sram_.values(in), to = sram_.values(out);
      forEachPosition(moved, [&](const std::vector<uint32_t> &position) {
        std::vector<uint32_t> source(rank);
        for (uint32_t axis = 0; axis < rank; ++axis)
          source[permutation[axis]] = position[axis];
        ASSERT_EQ(to[indexOf(position, moved)], from[indexOf(source, shape)]) << "rank " << rank;
      });
    }
  }
}

TEST_P(RearrangeTest, FillsThenMovesInOrder) {
  FeatureMap a = dense(3), b = dense(2), out = dense(8);
  sram_.setValues(a, {1, 0, 1});
  sram_.setValues(b, {0, 1});
  uint64_t one = 0;
  FeatureMap element = dense(1);
  sram_.setValues(element, {1});
  std::memcpy(&one, sram_.at<uint8_t>(element.address), sizeOf(GetParam()));
  // 1 1 1 1 1 1 1 1, then a mirrored at 1, then b at 3, over the last element of a.
  RearrangeParameters parameters{true, one, {{0, 2, 1, {{3, -1, 1}}}, {1, 0, 3, {{2, 1, 1}}}}};
  checkAndRun(*testTarget(), rearrangeCommand(parameters, {a, b}, out), sram_);
  EXPECT_EQ(sram_.values(out), (std::vector<double>{1, 1, 0, 0, 1, 1, 1, 1}));
}

TEST_P(RearrangeTest, RepeatsWithStrideZero) {
  FeatureMap in = dense(2), out = dense(6);
  sram_.setValues(in, {0, 1});
  checkAndRun(*testTarget(), rearrangeCommand({false, 0, {{0, 0, 0, {{3, 0, 2}, {2, 1, 1}}}}}, {in}, out), sram_);
  EXPECT_EQ(sram_.values(out), (std::vector<double>{0, 1, 0, 1, 0, 1}));
}

TEST_P(RearrangeTest, ReadsRowsInsideARing) {
  Random random(3);
  FeatureMap in = sram_.map(GetParam(), 4, 2, 3, Placement::Dense, random), out = dense(24);
  in.ringRows = 6;
  in.address = sram_.allocate(size_t(6) * in.rowStride);
  DspCommand command = rearrangeCommand({false, 0, {{0, 0, 0, {{24, 1, 1}}}}}, {in}, out);
  command.inputs[0].firstRow = 2;
  sram_.fill(command.inputs[0], random);
  checkAndRun(*testTarget(), command, sram_);
  EXPECT_EQ(sram_.values(out), sram_.values(command.inputs[0]));
  command.inputs[0].firstRow = 3;
  EXPECT_FALSE(checkOf(command).isOk());
}

/// Each row of [2, 3] pixels is turned to [3, 2], and has two more elements from the other input.
TEST_P(RearrangeTest, MovesRowsWhereverTheyAre) {
  const RearrangeParameters ofRows{true, 0, {{0, 0, 1, {{3, 1, 2}, {2, 3, 1}}}, {1, 1, 6, {{2, -1, 1}}}}, true};
  for (Placement place : {Placement::Dense, Placement::Scattered}) {
    FeatureMap a = sram_.map(GetParam(), 4, 1, 6, place, random_), b = sram_.map(GetParam(), 4, 1, 2, place, random_);
    FeatureMap out = sram_.map(GetParam(), 4, 1, 8, place, random_);
    sram_.fill(a, random_);
    sram_.fill(b, random_);
    checkAndRun(*testTarget(), rearrangeCommand(ofRows, {a, b}, out), sram_);
    const std::vector<double> fromA = sram_.values(a), fromB = sram_.values(b), to = sram_.values(out);
    for (size_t row = 0; row < 4; ++row) {
      std::vector<double> expected{0, 0, 0, 0, 0, 0, fromB[2 * row + 1], fromB[2 * row]};
      for (size_t i = 0; i < 5; ++i) // the last element is overwritten
        expected[1 + i] = fromA[6 * row + i % 2 * 3 + i / 2];
      EXPECT_EQ(std::vector(to.begin() + int64_t(8 * row), to.begin() + int64_t(8 * row + 8)), expected);
    }
  }
}

/// Two groups of channels of each pixel take turns; the result is every second channel run of a wider map.
TEST_P(RearrangeTest, MovesPixelsBetweenGaps) {
  const RearrangeParameters turns{false, 0, {{0, 0, 0, {{5, 6, 4}, {2, 1, 2}, {2, 4, 1}}}}, true};
  FeatureMap in = sram_.map(GetParam(), 3, 5, 6, Placement::Scattered, random_);
  FeatureMap out = sram_.map(GetParam(), 3, 5, 4, Placement::Scattered, random_);
  sram_.fill(in, random_);
  sram_.fill(out, random_);
  checkAndRun(*testTarget(), rearrangeCommand(turns, {in}, out), sram_);
  const std::vector<double> from = sram_.values(in), to = sram_.values(out);
  for (size_t pixel = 0; pixel < 15; ++pixel)
    for (size_t channel = 0; channel < 4; ++channel)
      EXPECT_EQ(to[4 * pixel + channel], from[6 * pixel + channel / 2 + channel % 2 * 4]) << pixel << ", " << channel;
}

TEST_P(RearrangeTest, GapsNeedMovesOfPixels) {
  const FeatureMap in = sram_.map(GetParam(), 2, 4, 3, Placement::Dense, random_);
  const FeatureMap out = sram_.map(GetParam(), 2, 4, 3, Placement::Scattered, random_);
  const auto isLegal = [&](const Move &move, bool fill = false) {
    return checkOf(rearrangeCommand({fill, 0, {move}, true}, {in}, out)).isOk();
  };
  EXPECT_TRUE(isLegal({0, 0, 0, {{4, 3, 3}, {3, 1, 1}}}));
  EXPECT_TRUE(isLegal({0, 11, 11, {{4, -3, -3}, {3, -1, -1}}}));
  EXPECT_FALSE(isLegal({0, 0, 0, {{12, 1, 1}}})) << "one run over all pixels";
  EXPECT_FALSE(isLegal({0, 0, 1, {{3, 3, 3}, {3, 1, 1}}})) << "from the end of a pixel into the next one";
  EXPECT_FALSE(isLegal({0, 0, 0, {{4, 3, 3}, {3, 1, 1}}}, true)) << "a fill would overwrite the gaps";
}

TEST_P(RearrangeTest, RowsMustAgree) {
  const RearrangeParameters ofRows{false, 0, {{0, 0, 0, {{6, 1, 1}}}}, true};
  const FeatureMap in = sram_.map(GetParam(), 4, 2, 3, Placement::Dense, random_);
  FeatureMap out = sram_.map(GetParam(), 4, 1, 6, Placement::Dense, random_);
  EXPECT_TRUE(checkOf(rearrangeCommand(ofRows, {in}, out)).isOk());
  EXPECT_FALSE(
      checkOf(rearrangeCommand(ofRows, {in}, sram_.map(GetParam(), 3, 1, 8, Placement::Dense, random_))).isOk());
  // A move stays in its row.
  RearrangeParameters longer = ofRows;
  longer.moves[0].axes[0].extent = 7;
  EXPECT_FALSE(checkOf(rearrangeCommand(longer, {in}, out)).isOk());
  const FeatureMap scattered = sram_.map(GetParam(), 4, 2, 3, Placement::Scattered, random_);
  EXPECT_FALSE(checkOf(rearrangeCommand(ofRows, {scattered}, out)).isOk()) << "pixels with gaps";
}

INSTANTIATE_TEST_SUITE_P(All, RearrangeTest,
                         testing::Values(DataType::Int8, DataType::UInt8, DataType::Bool8, DataType::Int16,
                                         DataType::UInt16, DataType::Float16, DataType::Int32, DataType::Float32,
                                         DataType::Int64, DataType::BFloat16));

TEST(SimplifiedMoveTest, MergesContinuousAxes) {
  // 2 x 3 x 4 elements in memory order are 24 in a row.
  EXPECT_EQ(simplified({0, 5, 6, {{2, 12, 12}, {3, 4, 4}, {4, 1, 1}}}), (Move{0, 5, 6, {{24, 1, 1}}}));
  // Extents of 1 are removed; a transposed pair stays.
  EXPECT_EQ(simplified({0, 0, 0, {{2, 1, 3}, {1, 99, -7}, {3, 2, 1}}}), (Move{0, 0, 0, {{2, 1, 3}, {3, 2, 1}}}));
  EXPECT_EQ(simplified({1, 2, 3, {{1, 4, 4}}}), (Move{1, 2, 3, {}}));
}

TEST(RearrangeWordsTest, UnpackInvertsPack) {
  RearrangeParameters parameters{true, 0xABCD, {{1, 2, 3, {{4, -5, 6}, {7, 8, -9}}}, {0, 0, 0, {}}}};
  auto again = unpackRearrange(packRearrange(parameters));
  ASSERT_TRUE(again.isOk());
  EXPECT_EQ(again->moves, parameters.moves);
  EXPECT_EQ(again->fillBits, 0xABCDu);
  parameters.fillBits = 0x123456789ABCDEF0;
  again = unpackRearrange(packRearrange(parameters));
  ASSERT_TRUE(again.isOk());
  EXPECT_EQ(again->moves, parameters.moves);
  EXPECT_EQ(again->fillBits, 0x123456789ABCDEF0u);
  EXPECT_FALSE(again->areOfRows);
  parameters.areOfRows = true;
  again = unpackRearrange(packRearrange(parameters));
  ASSERT_TRUE(again.isOk());
  EXPECT_TRUE(again->areOfRows);
  EXPECT_EQ(again->fillBits, 0x123456789ABCDEF0u);
}

class RearrangeLegalityTest : public testing::Test {
protected:
  RearrangeLegalityTest() {
    Random random(1);
    in_ = sram_.map(DataType::Int8, 1, 1, 10, Placement::Dense, random);
    out_ = sram_.map(DataType::Int8, 1, 1, 10, Placement::Dense, random);
  }
  bool isLegal(const Move &move) { return checkOf(rearrangeCommand({false, 0, {move}}, {in_}, out_)).isOk(); }

  TestSram sram_;
  FeatureMap in_, out_;
};

TEST_F(RearrangeLegalityTest, RejectsMovesOutsideMaps) {
  EXPECT_TRUE(isLegal({0, 0, 0, {{10, 1, 1}}}));
  EXPECT_TRUE(isLegal({0, 9, 0, {{10, -1, 1}}}));
  EXPECT_FALSE(isLegal({0, 8, 0, {{10, -1, 1}}}));
  EXPECT_FALSE(isLegal({0, 1, 0, {{10, 1, 1}}}));
  EXPECT_FALSE(isLegal({0, 0, 1, {{10, 1, 1}}}));
  EXPECT_FALSE(isLegal({0, 10, 0, {}}));
  EXPECT_FALSE(isLegal({1, 0, 0, {}}));
  EXPECT_FALSE(isLegal({0, 0, 0, {{0, 1, 1}}}));
  // Offsets that cancel on two axes still must stay inside for every element.
  EXPECT_FALSE(isLegal({0, 0, 0, {{2, -5, 0}, {2, 5, 1}}}));
  EXPECT_TRUE(isLegal({0, 5, 0, {{2, -5, 1}, {2, 4, 2}}}));
}

TEST_F(RearrangeLegalityTest, HostileParametersDoNotOverflow) {
  EXPECT_FALSE(isLegal({0, 0, 0, {{UINT32_MAX, INT32_MAX, 0}, {UINT32_MAX, INT32_MAX, 0}}}));
  EXPECT_FALSE(isLegal({0, 0, 0, {{UINT32_MAX, 0, 0}}}));
  EXPECT_FALSE(isLegal({0, 0, 0, std::vector<MoveAxis>(8, {0x10000, 0, 0})}));
  EXPECT_FALSE(isLegal({0, UINT32_MAX, UINT32_MAX, {{2, INT32_MIN, INT32_MIN}}}));
  EXPECT_FALSE(isLegal({0, 0, 0, std::vector<MoveAxis>(kMaxMoveAxes + 1, {1, 0, 0})}));
  // A move that rewrites the output repeatedly would occupy the device for too long.
  EXPECT_FALSE(isLegal({0, 0, 0, {{11, 0, 0}}}));
  EXPECT_TRUE(isLegal({0, 0, 0, {{10, 0, 0}}}));
}

TEST_F(RearrangeLegalityTest, RejectsIncompleteMoves) {
  DspCommand command = rearrangeCommand({false, 0, {{0, 0, 0, {{10, 1, 1}}}}}, {in_}, out_);
  ASSERT_TRUE(checkOf(command).isOk());
  for (size_t count = 0; count < command.parameters.size(); ++count) {
    DspCommand shorter = command;
    shorter.parameters.resize(count);
    EXPECT_EQ(checkOf(shorter).isOk(), count == 2) << count;
  }
  command.parameters[0] = 3;
  EXPECT_FALSE(checkOf(command).isOk());
  command.parameters = {2, 5}; // the high word is missing
  EXPECT_FALSE(checkOf(command).isOk());
}

TEST_F(RearrangeLegalityTest, RejectsMixedTypesAndSparseMaps) {
  DspCommand command = rearrangeCommand({false, 0, {}}, {in_}, out_);
  ASSERT_TRUE(checkOf(command).isOk());
  command.inputs[0].type = DataType::UInt8;
  EXPECT_FALSE(checkOf(command).isOk());
  command.inputs[0] = in_;
  command.outputs[0].height = command.outputs[0].ringRows = 2;
  command.outputs[0].rowStride = 11;
  EXPECT_FALSE(checkOf(command).isOk());
  command.outputs[0].rowStride = 10;
  EXPECT_TRUE(checkOf(command).isOk());
}

TEST_F(RearrangeLegalityTest, RandomWordsAreRefusedOrStayInsideMaps) {
  Random random(11);
  uint32_t legal = 0;
  for (uint32_t round = 0; round < 20000; ++round) {
    DspCommand command = rearrangeCommand({}, {in_}, out_);
    auto word = [&] {
      return static_cast<uint32_t>(pick(random, 0, 9) == 0 ? pick(random, INT32_MIN, INT32_MAX) : pick(random, -2, 5));
    };
    command.parameters = {0, 0, 0, static_cast<uint32_t>(pick(random, 0, 9)), static_cast<uint32_t>(pick(random, 0, 9)),
                          2};
    while (command.parameters.size() < 12)
      command.parameters.push_back(word());
    if (!checkOf(command).isOk())
      continue;
    ++legal;
    sram_.setValues(in_, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    int8_t *guard = sram_.at<int8_t>(out_.address);
    guard[-1] = guard[10] = 77;
    sram_.setValues(out_, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    findKernel(command)->run(*testTarget(), command, sram_.bytes());
    ASSERT_TRUE(guard[-1] == 77 && guard[10] == 77);
    for (double value : sram_.values(out_))
      ASSERT_TRUE(value == 0 || value == 1);
  }
  EXPECT_GT(legal, 100u);
}

} // namespace
} // namespace avocet::kernels
