//===- OpenRowsTest.cpp - Concatenations of selected boxes ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using enum OperandType;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr uint32_t kCorners = 4;
constexpr float kScore = 0.75f, kThreshold = 0.5f;

/// BOX_WITH_NMS_LIMIT selects 0 to 2 boxes of two, several times, and CONCATENATION appends the boxes to an input whose
/// number of rows is open: outputs = [input 0, boxes, boxes, ...].
class JoinedModel {
public:
  explicit JoinedModel(uint32_t selections) {
    addInputs();
    std::vector<uint32_t> joined = {0};
    for (uint32_t i = 0; i < selections; ++i)
      joined.push_back(addSelection());
    joined.push_back(add(scalarConstant(model_, 0)));
    const uint32_t result = add(tensor(TensorFloat32, {0, kCorners}, OperandLifeTime::SubgraphOutput));
    model_.main.operations.push_back({OperationType::Concatenation, joined, {result}});
    model_.main.outputIndexes = {result};
  }

  const Model &model() const { return model_; }

private:
  uint32_t add(const Operand &operand) {
    model_.main.operands.push_back(operand);
    return static_cast<uint32_t>(model_.main.operands.size() - 1);
  }

  void addInputs() {
    for (const std::vector<uint32_t> &dimensions : {std::vector<uint32_t>{0, kCorners}, {2, 2}, {2, 2 * kCorners}})
      add(tensor(TensorFloat32, dimensions, OperandLifeTime::SubgraphInput));
    add(tensor(TensorInt32, {2}, OperandLifeTime::SubgraphInput));
    model_.main.inputIndexes = {0, 1, 2, 3};
  }

  /// Returns the boxes.
  uint32_t addSelection() {
    const uint32_t threshold = add(floatConstant(model_, kThreshold)), any = add(scalarConstant(model_, -1)),
                   hard = add(scalarConstant(model_, 0)), sigma = add(floatConstant(model_, 1.0f));
    const uint32_t scores = add(tensor(TensorFloat32, {0}, OperandLifeTime::TemporaryVariable)),
                   boxes = add(tensor(TensorFloat32, {0, kCorners}, OperandLifeTime::TemporaryVariable)),
                   classes = add(tensor(TensorInt32, {0}, OperandLifeTime::TemporaryVariable)),
                   owners = add(tensor(TensorInt32, {0}, OperandLifeTime::TemporaryVariable));
    model_.main.operations.push_back({OperationType::BoxWithNmsLimit,
                                      {1, 2, 3, threshold, any, hard, threshold, sigma, threshold},
                                      {scores, boxes, classes, owners}});
    return boxes;
  }

  Model model_;
};

class OpenRowsTest : public DeviceFixture {
protected:
  std::vector<bool> supported(uint32_t selections) {
    auto answer = device_->getSupportedOperations(JoinedModel(selections).model());
    EXPECT_TRUE(answer.isOk()) << answer.error().message;
    return answer ? answer->supported : std::vector<bool>();
  }

  /// Input 0 has rows of 7; the first `selected` boxes have a score above the threshold.
  ExecutionOutcome run(IPreparedModel &prepared, uint32_t rows, uint32_t selected, uint32_t resultRows) {
    const uint64_t bytes = rows * kCorners * sizeof(float);
    TestPool inputs(bytes + 16 + 64 + 8);
    result_ = std::make_unique<TestPool>(resultRows * kCorners * sizeof(float));
    std::span<float> reals = inputs.as<float>();
    std::ranges::fill(reals.first(rows * kCorners), 7.0f);
    std::span<float> scores = reals.subspan(rows * kCorners, 4), boxes = reals.subspan(rows * kCorners + 4, 16);
    for (uint32_t box = 0; box < 2; ++box) {
      scores[2 * box + 1] = box < selected ? kScore : 0.0f;
      const float left = 10.0f * static_cast<float>(box);
      std::ranges::copy(std::array{0.0f, 0.0f, 0.0f, 0.0f, left, left, left + 1, left + 1}, boxes.begin() + 8 * box);
    }
    Request request = requestOf({bytes, 16, 64, 8}, {result_->bytes().size()}, inputs, *result_);
    request.inputs[0].dimensions = {rows, kCorners};
    return prepared.execute(request, {});
  }

  std::unique_ptr<TestPool> result_;
};

TEST_F(OpenRowsTest, InputBesideBoxesMayHaveOpenRows) {
  EXPECT_THAT(supported(2), ElementsAre(true, true, true));
  auto prepared = prepare(JoinedModel(2).model());
  ASSERT_NE(prepared, nullptr);
  for (uint32_t rows = 1; rows < 4; ++rows)
    for (uint32_t selected = 0; selected <= 2; ++selected) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(selected) + " boxes");
      const ExecutionOutcome outcome = run(*prepared, rows, selected, rows + 2 * selected);
      ASSERT_EQ(outcome.status, ErrorStatus::None);
      EXPECT_THAT(outcome.outputShapes.at(0).dimensions, ElementsAre(rows + 2 * selected, kCorners));
      std::span<const float> values = result_->as<float>();
      EXPECT_THAT(values.first(rows * kCorners), Each(7.0f));
      for (uint32_t box = 0; box < 2 * selected; ++box)
        EXPECT_EQ(values[(rows + box) * kCorners + 2], 10.0f * static_cast<float>(box % selected) + 1);
    }
}

TEST_F(OpenRowsTest, BoxesOfTooManySelectionsAreRefused) {
  EXPECT_THAT(supported(32), Each(true));
  std::vector<bool> answer = supported(33);
  ASSERT_EQ(answer.size(), 34u);
  EXPECT_FALSE(answer.back());
  answer.pop_back();
  EXPECT_THAT(answer, Each(true));
}

} // namespace
} // namespace avocet::hal
