//===- LoopTimeoutTest.cpp - Loop timeouts in every kind of execution -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <future>

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

/// The kinds of execution, each as a function of the model, the request and its options.
struct Kind {
  const char *name;
  ErrorStatus (*run)(IPreparedModel &, const Request &, const ExecutionOptions &);
};

ErrorStatus runAsynchronously(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  std::promise<ErrorStatus> ended;
  (void)model.executeAsynchronously(request, options,
                                    [&](const ExecutionOutcome &outcome) { ended.set_value(outcome.status); });
  return ended.get_future().get();
}

/// The launch's error, or the status that executionInfo() returns. The fence must agree with it.
ErrorStatus statusOf(const Result<FencedLaunch> &launch) {
  if (!launch)
    return launch.code();
  const FenceState end = launch->fence.wait(std::nullopt);
  const ErrorStatus status = launch->info->executionInfo().code();
  EXPECT_EQ(end == FenceState::Signalled, status == ErrorStatus::None);
  return status;
}

ErrorStatus runFenced(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  return statusOf(model.executeFenced(request, {}, {options, {}}));
}

ErrorStatus runBurst(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  return (*model.configureBurst())->execute(request, {0, 1}, options).status;
}

/// The second execution uses the kept binding of the request, with options that were not checked when it was bound.
ErrorStatus runKeptBurst(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  std::shared_ptr<IBurst> burst = *model.configureBurst();
  ExecutionOptions brief;
  brief.loopTimeoutDuration = nanoseconds(1);
  (void)burst->execute(request, {0, 1}, brief);
  return burst->execute(request, {0, 1}, options).status;
}

ErrorStatus runReusable(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  auto execution = model.createReusableExecution(request, options);
  if (!execution)
    return execution.code();
  const ErrorStatus first = (*execution)->compute({}).status;
  EXPECT_EQ((*execution)->compute({}).status, first) << "the second run";
  return first;
}

ErrorStatus runReusableFenced(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  auto execution = model.createReusableExecution(request, options);
  return execution ? statusOf((*execution)->computeFenced({}, {}, {})) : execution.code();
}

constexpr Kind kKinds[] = {
    {"synchronous", [](IPreparedModel &model, const Request &request,
                       const ExecutionOptions &options) { return model.execute(request, options).status; }},
    {"asynchronous", runAsynchronously},
    {"fenced", runFenced},
    {"burst", runBurst},
    {"keptBurst", runKeptBurst},
    {"reusable", runReusable},
    {"reusableFenced", runReusableFenced},
};

class LoopTimeoutTest : public DeviceFixture, public ::testing::WithParamInterface<Kind> {
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

INSTANTIATE_TEST_SUITE_P(Kinds, LoopTimeoutTest, ::testing::ValuesIn(kKinds),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::hal
