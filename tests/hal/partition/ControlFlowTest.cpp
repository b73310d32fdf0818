//===- ControlFlowTest.cpp - Branches and loops by the host ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestModels.h"
#include "avocet/hal/partition/Partition.h"

#include <gtest/gtest.h>

namespace avocet::hal::test {
namespace {

using enum OperationType;

constexpr uint64_t kBytes = kLength * sizeof(float);

/// No device has IF and WHILE, so that the host interprets them.
std::shared_ptr<IPreparedModel> prepare(const Model &model) {
  const std::vector<std::shared_ptr<IDevice>> devices = {std::make_shared<FakeDevice>("a", std::set{Add, Less}),
                                                         std::make_shared<FakeDevice>("b", std::set{Mul, Relu})};
  static std::vector<std::shared_ptr<IDevice>> alive; // models of the fake need their device
  alive.insert(alive.end(), devices.begin(), devices.end());
  auto result = preparePartitioned(model, devices, nullptr, {});
  EXPECT_TRUE(result.isOk()) << (result ? "" : result.error().message);
  return result ? result->model : nullptr;
}

TEST(ControlFlowTest, RunsTheChosenBranch) {
  for (const bool isOpen : {false, true}) {
    const auto model = prepare(branch(isOpen));
    for (const bool flag : {true, false}) {
      Buffers buffers({{1, 2, 3, 4}}, {kBytes});
      buffers.addFlag(flag);
      const ExecutionOutcome outcome = model->execute(buffers.request(), {});
      ASSERT_TRUE(outcome.isOk()) << outcome.message;
      EXPECT_EQ(buffers.output(), flag ? (std::vector<float>{2, 4, 6, 8}) : (std::vector<float>{1, 4, 9, 16}));
      EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{kLength});
    }
  }
}

/// The branches fix a length that IF leaves open, and the request gives another one.
TEST(ControlFlowTest, RefusesValueOfOtherShapeThanBranch) {
  Model fixed = branch(false);
  fixed.main.operands[fixed.main.inputIndexes[0]].dimensions = {0};
  const auto model = prepare(fixed);
  Buffers buffers({{1, 2}}, {kBytes});
  buffers.addFlag(true);
  buffers.request().inputs[0].dimensions = {2};
  const ExecutionOutcome outcome = model->execute(buffers.request(), {});
  EXPECT_EQ(outcome.status, ErrorStatus::InvalidArgument);
  EXPECT_NE(outcome.message.find("of shape [4] has a value of shape [2]"), std::string::npos) << outcome.message;
}

TEST(ControlFlowTest, BranchReportsShortOutput) {
  const auto model = prepare(branch(true));
  Buffers buffers({{1, 2, 3, 4}}, {4});
  buffers.addFlag(true);
  const ExecutionOutcome outcome = model->execute(buffers.request(), {});
  EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize);
  EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{kLength});
}

/// The host reads the condition, and passes on the input of the branches.
TEST(ControlFlowTest, HostTakesNoBuffers) {
  const auto model = prepare(branch(false));
  for (const uint32_t input : {0U, 1U}) {
    auto buffer = allocateForRoles({}, {BufferRole{model, input, 1}}, {}, nullptr);
    EXPECT_EQ(buffer.code(), ErrorStatus::GeneralFailure);
    EXPECT_NE(buffer.error().message.find("by the host"), std::string::npos) << buffer.error().message;
  }
}

TEST(ControlFlowTest, RepeatsTheBody) {
  const auto model = prepare(loop(100));
  const Buffers buffers({{3}}, {4});
  const ExecutionOutcome outcome = model->execute(buffers.request(), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(buffers.output(), std::vector<float>{192});
}

TEST(ControlFlowTest, LoopWithoutRoundsKeepsInitialValue) {
  const auto model = prepare(loop(1));
  const Buffers buffers({{3}}, {4});
  ASSERT_TRUE(model->execute(buffers.request(), {}).isOk());
  EXPECT_EQ(buffers.output(), std::vector<float>{3});
}

TEST(ControlFlowTest, EndlessLoopMissesItsTimeout) {
  const auto model = prepare(loop(1));
  const Buffers buffers({{0}}, {4}); // 0 + 0 stays below the limit
  ExecutionOptions options;
  options.loopTimeoutDuration = std::chrono::milliseconds(5);
  EXPECT_EQ(model->execute(buffers.request(), options).status, ErrorStatus::MissedDeadlineTransient);
}

TEST(ControlFlowTest, EndlessLoopMissesTheDeadline) {
  const auto model = prepare(loop(1));
  const Buffers buffers({{0}}, {4});
  ExecutionOptions options;
  options.deadline = BootClock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(model->execute(buffers.request(), options).status, ErrorStatus::MissedDeadlineTransient);
}

TEST(ControlFlowTest, LoopRunsInBursts) {
  const auto model = prepare(loop(100));
  auto burst = model->configureBurst();
  ASSERT_TRUE(burst.isOk());
  for (int i = 0; i < 3; ++i) {
    const Buffers buffers({{3}}, {4});
    ASSERT_TRUE((*burst)->execute(buffers.request(), {i}, {}).isOk());
    EXPECT_EQ(buffers.output(), std::vector<float>{192});
  }
}

} // namespace
} // namespace avocet::hal::test
