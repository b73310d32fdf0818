//===- LoopTimeoutTest.cpp - Loop timeouts in every kind of execution -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "ExecutionKinds.h"

namespace avocet::hal {
namespace {

using namespace testing;
using std::chrono::nanoseconds;

/// One float.
Operand value(OperandLifeTime lifetime) { return tensor(OperandType::TensorFloat32, {1}, lifetime); }

Operand subgraphOperand(uint64_t index) {
  Operand operand = tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph);
  operand.location.offset = index;
  return operand;
}

/// x + x while x <= 10^30: never ends for negative numbers, after 100 iterations for 1, and at once for kLarge.
constexpr float kEndless = -1, kLong = 1, kLarge = 2e30f;
Model loopModel() {
  Model model;
  Subgraph condition, body;
  Operand limit = value(OperandLifeTime::ConstantCopy);
  limit.location = floatConstant(model, 1e30f).location;
  condition.operands = {value(OperandLifeTime::SubgraphInput), limit,
                        tensor(OperandType::TensorBool8, {1}, OperandLifeTime::SubgraphOutput)};
  condition.operations = {{OperationType::LessEqual, {0, 1}, {2}}};
  condition.inputIndexes = {0};
  condition.outputIndexes = {2};
  body.operands = {value(OperandLifeTime::SubgraphInput), scalarConstant(model, 0),
                   value(OperandLifeTime::SubgraphOutput)};
  body.operations = {{OperationType::Add, {0, 0, 1}, {2}}};
  body.inputIndexes = {0};
  body.outputIndexes = {2};
  model.referenced = {condition, body};
  model.main.operands = {subgraphOperand(0), subgraphOperand(1), value(OperandLifeTime::SubgraphInput),
                         value(OperandLifeTime::SubgraphOutput)};
  model.main.operations = {{OperationType::While, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {2};
  model.main.outputIndexes = {3};
  return model;
}

class LoopTimeoutTest : public DeviceFixture, public ::testing::WithParamInterface<ExecutionKind> {
protected:
  void SetUp() override {
    DeviceFixture::SetUp();
    model_ = prepare(loopModel());
    ASSERT_NE(model_, nullptr);
  }
  ErrorStatus run(float start, OptionalDuration timeout) {
    input_.as<float>()[0] = start;
    ExecutionOptions options;
    options.loopTimeoutDuration = timeout;
    return GetParam().run(*model_, requestOf({4}, {4}, input_, output_), options);
  }

  TestPool input_{4}, output_{4};
  std::shared_ptr<IPreparedModel> model_;
};

TEST_P(LoopTimeoutTest, EndsEndlessLoops) {
  EXPECT_EQ(run(kEndless, std::chrono::microseconds(100)), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(run(kLarge, std::chrono::microseconds(100)), ErrorStatus::None) << "the model stays usable";
  EXPECT_EQ(output_.as<float>()[0], kLarge);
}

TEST_P(LoopTimeoutTest, ZeroIsNotTheDefault) {
  EXPECT_EQ(run(kLong, nanoseconds(0)), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(run(kLong, std::nullopt), ErrorStatus::None);
  EXPECT_GT(output_.as<float>()[0], 1e30f);
}

TEST_P(LoopTimeoutTest, RefusesTimeoutsOutOfRange) {
  EXPECT_EQ(run(kLarge, kMaximumLoopTimeout), ErrorStatus::None);
  EXPECT_EQ(run(kLarge, kMaximumLoopTimeout + nanoseconds(1)), ErrorStatus::InvalidArgument);
  EXPECT_EQ(run(kLarge, std::chrono::hours(1)), ErrorStatus::InvalidArgument);
  EXPECT_EQ(run(kLarge, nanoseconds(-1)), ErrorStatus::InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LoopTimeoutTest, ::testing::ValuesIn(executionKinds()),
                         [](const auto &info) { return info.param.name; });

/// Two loops of the same subgraphs, each with an input and an output of its own.
Model twoLoopsModel() {
  Model model = loopModel();
  model.main.operands.push_back(value(OperandLifeTime::SubgraphInput));
  model.main.operands.push_back(value(OperandLifeTime::SubgraphOutput));
  model.main.operations.push_back({OperationType::While, {0, 1, 4}, {5}});
  model.main.inputIndexes = {2, 4};
  model.main.outputIndexes = {3, 5};
  return model;
}

class SeveralLoopsTest : public DeviceFixture {};

TEST_F(SeveralLoopsTest, EachLoopHasItsOwnTimeout) {
  auto model = prepare(twoLoopsModel());
  ASSERT_NE(model, nullptr);
  TestPool inputs(8), outputs(8);
  auto run = [&](float first, float second, OptionalDuration timeout) {
    inputs.as<float>()[0] = first;
    inputs.as<float>()[1] = second;
    ExecutionOptions options;
    options.measure = MeasureTiming::Yes;
    options.loopTimeoutDuration = timeout;
    return model->execute(requestOf({4, 4}, {4, 4}, inputs, outputs), options);
  };
  const ExecutionOutcome one = run(kLong, kLarge, std::nullopt);
  ASSERT_TRUE(one.isOk()) << one.message;
  const Duration enoughForOne = one.timing.timeOnDevice.value();
  const ExecutionOutcome both = run(kLong, kLong, enoughForOne);
  ASSERT_TRUE(both.isOk()) << both.message;
  EXPECT_GT(both.timing.timeOnDevice, enoughForOne) << "together the loops take longer";
  EXPECT_EQ(run(kLarge, kLong, enoughForOne / 8).status, ErrorStatus::MissedDeadlineTransient) << "the second alone";
}

} // namespace
} // namespace avocet::hal
