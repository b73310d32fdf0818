//===- FencedTest.cpp - Executions that wait for fences and signal one ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FencedFixture.h"

#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint64_t kPage = 4096;

class FencedTest : public FencedFixture {
protected:
  TestPool first_{kPage}, second_{kPage}, third_{kPage}, fourth_{kPage};
};

TEST_F(FencedTest, RunsAtOnceWithoutFences) {
  first_.as<float>()[kCount - 1] = 41;
  FencedLaunch run = launch(step(first_, second_), {});
  EXPECT_EQ(end(run), FenceState::Signaled);
  EXPECT_EQ(second_.as<float>()[kCount - 1], 42);
  auto times = run.info->executionInfo();
  ASSERT_TRUE(times.isOk()) << times.error().message;
  EXPECT_FALSE(times->launched.timeInDriver.has_value());
  EXPECT_FALSE(times->fenced.timeOnDevice.has_value());
}

TEST_F(FencedTest, ExecutionInfoFailsBeforeEnd) {
  gate_.close();
  FencedLaunch run = launch(step(first_, second_), {});
  gate_.awaitJob();
  EXPECT_EQ(run.fence.state(), FenceState::Active);
  EXPECT_EQ(codeOf(run), ErrorStatus::GeneralFailure);
  gate_.open();
  EXPECT_EQ(end(run), FenceState::Signaled);
  EXPECT_EQ(codeOf(run), ErrorStatus::None);
}

TEST_F(FencedTest, StartsWhenAllFencesHaveSignaled) {
  ForeignFence event;
  FailingFence other;
  FencedLaunch run = launch(step(first_, second_), {event.fence(), SyncFence(), other.fence});
  first_.as<float>()[0] = 7; // allowed before the signal
  event.signal();
  EXPECT_EQ(run.fence.wait(milliseconds(1)), FenceState::Active);
  first_.as<float>()[0] = 8;
  other.signaler->signal();
  EXPECT_EQ(end(run), FenceState::Signaled);
  EXPECT_EQ(second_.as<float>()[0], 9);
}

TEST_F(FencedTest, FailedFenceIsInvalidArgument) {
  FailingFence fence;
  fence.signaler->fail();
  EXPECT_EQ(model_->executeFenced(step(first_, second_), {fence.fence}, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(FencedTest, FenceThatFailsLaterFailsExecution) {
  FailingFence fence;
  ForeignFence never;
  FencedLaunch run = launch(step(first_, second_), {never.fence(), fence.fence});
  fence.signaler->fail();
  EXPECT_EQ(end(run), FenceState::Error);
  EXPECT_EQ(codeOf(run), ErrorStatus::GeneralFailure);
  EXPECT_EQ(gate_.numJobs(), 0u);
}

TEST_F(FencedTest, RefusesInvalidRequestsAndTimes) {
  EXPECT_EQ(model_->executeFenced({}, {}, {}).code(), ErrorStatus::InvalidArgument);
  FencedOptions negative;
  negative.timeoutAfterFence = Duration(-2);
  EXPECT_EQ(model_->executeFenced(step(first_, second_), {}, negative).code(), ErrorStatus::InvalidArgument);
  Request small = requestOf({kPage}, {kPage / 2}, first_, second_);
  EXPECT_NE(model_->executeFenced(small, {}, {}).code(), ErrorStatus::None);
}

TEST_F(FencedTest, RefusesOutputsOfUnknownSize) {
  auto dynamic = prepare(addModel({0, 4}));
  ASSERT_NE(dynamic, nullptr);
  Request request = requestOf({16, 16}, {16}, first_, second_);
  request.inputs[0].dimensions = request.inputs[1].dimensions = {1, 4};
  EXPECT_EQ(dynamic->executeFenced(request, {}, {}).code(), ErrorStatus::InvalidArgument);
  request.outputs[0].dimensions = {1, 4};
  auto run = dynamic->executeFenced(request, {}, {});
  ASSERT_TRUE(run.isOk()) << run.error().message;
  EXPECT_EQ(run->fence.wait(std::nullopt), FenceState::Signaled);
}

/// A launch that waits for an execution that is just failing fails too, and never finds it half removed.
TEST_F(FencedTest, FenceFailsWhileLaunchesBeginToWait) {
  for (int round = 0; round < 200; ++round) {
    FailingFence fence;
    FencedLaunch first = launch(step(first_, second_), {fence.fence});
    std::thread failing([&] { fence.signaler->fail(); });
    std::vector<FencedLaunch> others;
    while (first.fence.state() == FenceState::Active && others.size() < 100)
      if (auto other = model_->executeFenced(step(second_, third_), {first.fence}, {}))
        others.push_back(*other);
    failing.join();
    for (const FencedLaunch &other : others)
      EXPECT_EQ(end(other), FenceState::Error);
  }
  EXPECT_EQ(gate_.numJobs(), 0u);
}

TEST_F(FencedTest, ChainPassesValues) {
  ForeignFence start;
  FencedLaunch one = launch(step(first_, second_), {start.fence()});
  FencedLaunch two = launch(step(second_, third_), {one.fence});
  FencedLaunch three = launch(step(third_, fourth_), {two.fence, one.fence});
  first_.as<float>()[5] = 10;
  start.signal();
  EXPECT_EQ(end(three), FenceState::Signaled);
  EXPECT_EQ(two.fence.state(), FenceState::Signaled);
  EXPECT_EQ(fourth_.as<float>()[5], 13);
}

TEST_F(FencedTest, ChainStartsWhileDeviceIsBusy) {
  ForeignFence start, also;
  FencedLaunch one = launch(step(first_, second_), {start.fence()});
  FencedLaunch two = launch(step(second_, third_), {one.fence});
  FencedLaunch three = launch(step(third_, fourth_), {two.fence, also.fence()});
  gate_.close();
  start.signal();
  gate_.awaitJob();
  also.signal();
  EXPECT_EQ(two.fence.state(), FenceState::Active);
  EXPECT_EQ(three.fence.state(), FenceState::Active);
  gate_.open();
  EXPECT_EQ(end(three), FenceState::Signaled);
  EXPECT_EQ(fourth_.as<float>()[0], 3);
}

TEST_F(FencedTest, DeviceWaitsForItsOwnFences) {
  ForeignFence start;
  FencedLaunch one = launch(step(first_, second_), {start.fence()});
  FencedLaunch two = launch(step(second_, third_), {one.fence});
  FencedLaunch three = launch(step(third_, fourth_), {two.fence, one.fence});
  gate_.close();
  start.signal();
  observer_.awaitSubmissions(3); // although the first of them has not ended
  gate_.open();
  EXPECT_EQ(end(three), FenceState::Signaled);
  std::vector<size_t> dependencies;
  for (const Observer::Seen &seen : observer_.submissions())
    dependencies.push_back(seen.numDependencies);
  EXPECT_EQ(dependencies, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(fourth_.as<float>()[0], 3);
}

TEST_F(FencedTest, HostCopiesAfterProducerEnds) {
  TestPool shifted(2 * kPage); // its operands do not start on page boundaries
  auto at = [](Request request, bool isInput, uint32_t offset) {
    (isInput ? request.inputs : request.outputs)[0].location.offset = offset;
    return request;
  };
  ForeignFence start;
  FencedLaunch one = launch(at(step(first_, shifted), false, 36), {start.fence()});
  FencedLaunch two = launch(at(step(shifted, third_), true, 36), {one.fence});
  start.signal();
  EXPECT_EQ(end(two), FenceState::Signaled);
  EXPECT_EQ(third_.as<float>()[0], 2);
}

TEST_F(FencedTest, ErrorPropagatesThroughChain) {
  FailingFence start;
  FencedLaunch one = launch(step(first_, second_), {start.fence});
  FencedLaunch two = launch(step(second_, third_), {one.fence});
  FencedLaunch three = launch(step(third_, fourth_), {two.fence});
  start.signaler->fail();
  EXPECT_EQ(end(three), FenceState::Error);
  EXPECT_EQ(end(one), FenceState::Error);
  EXPECT_EQ(codeOf(two), ErrorStatus::GeneralFailure);
  EXPECT_EQ(gate_.numJobs(), 0u);
  EXPECT_EQ(end(launch(step(first_, second_), {})), FenceState::Signaled);
}

TEST_F(FencedTest, ManyExecutionsWaitForOne) {
  ForeignFence start;
  FencedLaunch one = launch(step(first_, second_), {start.fence()});
  std::vector<std::unique_ptr<TestPool>> results;
  std::vector<FencedLaunch> others;
  for (int i = 0; i < 20; ++i) {
    results.push_back(std::make_unique<TestPool>(kPage));
    others.push_back(launch(step(second_, *results.back()), {one.fence}));
  }
  std::vector<SyncFence> all; // more than the device accepts as dependencies
  for (const FencedLaunch &other : others)
    all.push_back(other.fence);
  FencedLaunch last = launch(step(*results.back(), fourth_), all);
  start.signal();
  EXPECT_EQ(end(last), FenceState::Signaled);
  EXPECT_EQ(fourth_.as<float>()[0], 3);
  for (const auto &result : results)
    EXPECT_EQ(result->as<float>()[0], 2);
}

TEST_F(FencedTest, MeasuresBothTimes) {
  ForeignFence start;
  FencedOptions options;
  options.execution.measure = MeasureTiming::Yes;
  FencedLaunch run = launch(step(first_, second_), {start.fence()}, options);
  clock_.advance(milliseconds(2));
  start.signal();
  EXPECT_EQ(end(run), FenceState::Signaled);
  auto times = run.info->executionInfo();
  ASSERT_TRUE(times.isOk());
  ASSERT_TRUE(times->launched.timeInDriver && times->fenced.timeInDriver && times->fenced.timeOnDevice);
  EXPECT_EQ(times->launched.timeOnDevice, times->fenced.timeOnDevice);
  EXPECT_GT(*times->fenced.timeOnDevice, Duration(0));
  EXPECT_LE(*times->fenced.timeOnDevice, *times->fenced.timeInDriver);
  EXPECT_GE(*times->launched.timeInDriver, *times->fenced.timeInDriver + milliseconds(1));
}

TEST_F(FencedTest, DeadlineEndsWaitForFence) {
  ForeignFence never;
  FencedOptions options;
  options.execution.deadline = clock_.now() + seconds(1);
  FencedLaunch run = launch(step(first_, second_), {never.fence()}, options);
  FencedLaunch after = launch(step(second_, third_), {run.fence});
  clock_.advance(milliseconds(999));
  EXPECT_EQ(run.fence.wait(milliseconds(5)), FenceState::Active);
  clock_.advance(milliseconds(1));
  EXPECT_EQ(end(run), FenceState::Error);
  EXPECT_EQ(codeOf(run), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(end(after), FenceState::Error);
  EXPECT_EQ(codeOf(after), ErrorStatus::GeneralFailure);
}

TEST_F(FencedTest, PassedDeadlineRefusesLaunch) {
  FencedOptions options;
  options.execution.deadline = clock_.now();
  EXPECT_EQ(model_->executeFenced(step(first_, second_), {}, options).code(), ErrorStatus::MissedDeadlinePersistent);
}

TEST_F(FencedTest, DeadlineEndsRunOnDevice) {
  FencedOptions options;
  options.execution.deadline = clock_.now() + seconds(1);
  gate_.close();
  FencedLaunch run = launch(step(first_, second_), {}, options);
  gate_.awaitJob();
  clock_.advance(seconds(1));
  EXPECT_EQ(end(run), FenceState::Error);
  EXPECT_EQ(codeOf(run), ErrorStatus::MissedDeadlineTransient);
  gate_.open();
  EXPECT_EQ(end(launch(step(first_, second_), {})), FenceState::Signaled);
}

TEST_F(FencedTest, TimeoutCountsFromLastFence) {
  ForeignFence early, late;
  FencedOptions options;
  options.timeoutAfterFence = seconds(1);
  FencedLaunch run = launch(step(first_, second_), {early.fence(), late.fence()}, options);
  early.signal();
  clock_.advance(seconds(100));
  EXPECT_EQ(run.fence.wait(milliseconds(5)), FenceState::Active);
  gate_.close();
  late.signal();
  gate_.awaitJob();
  while (run.fence.wait(milliseconds(1)) == FenceState::Active) // the watch starts the timeout after the submission
    clock_.advance(milliseconds(100));
  EXPECT_EQ(codeOf(run), ErrorStatus::MissedDeadlineTransient);
  gate_.open();
}

TEST_F(FencedTest, TimeoutCountsFromPredecessorsEnd) {
  FencedOptions options;
  options.timeoutAfterFence = seconds(1);
  ForeignFence start;
  FencedLaunch one = launch(step(first_, second_), {start.fence()});
  FencedLaunch two = launch(step(second_, third_), {one.fence}, options);
  gate_.close();
  start.signal();
  gate_.awaitJob();
  clock_.advance(seconds(100));
  EXPECT_EQ(two.fence.wait(milliseconds(5)), FenceState::Active);
  gate_.open();
  EXPECT_EQ(end(two), FenceState::Signaled);
}

TEST_F(FencedTest, ChainRunsWithoutReferencesToModelAndDevice) {
  ForeignFence start;
  FencedLaunch first = launch(step(first_, second_), {start.fence()});
  SyncFence kept;
  {
    FencedLaunch second = launch(step(second_, third_), {first.fence});
    kept = launch(step(third_, fourth_), {second.fence}).fence;
  }
  first = {};
  model_.reset();
  device_.reset();
  start.signal();
  EXPECT_EQ(kept.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(fourth_.as<float>()[0], 3);
}

TEST_F(FencedTest, RunWithoutReferencesCompletes) {
  gate_.close();
  launch(step(first_, second_), {});
  gate_.awaitJob();
  model_.reset();
  device_.reset();
  gate_.open();
  const auto &file = std::get<Ashmem>(second_.memory()->handle).fd;
  float value = 0;
  while (value != 1) {
    std::this_thread::yield();
    ASSERT_EQ(::pread(file->get(), &value, sizeof(value), 0), ssize_t(sizeof(value)));
  }
}

TEST_F(FencedTest, ReusableExecutionRunsOnceAtATime) {
  auto execution = model_->createReusableExecution(step(first_, second_), {});
  ASSERT_TRUE(execution.isOk());
  ForeignFence start;
  auto run = (*execution)->computeFenced({start.fence()}, {}, {});
  ASSERT_TRUE(run.isOk());
  EXPECT_EQ((*execution)->computeFenced({}, {}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ((*execution)->compute({}).status, ErrorStatus::InvalidArgument);
  start.signal();
  EXPECT_EQ(run->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_TRUE((*execution)->compute({}).isOk());
  EXPECT_EQ((*execution)->computeFenced({}, clock_.now(), {}).code(), ErrorStatus::MissedDeadlinePersistent);
  auto again = (*execution)->computeFenced({}, clock_.now() + seconds(5), seconds(5));
  ASSERT_TRUE(again.isOk());
  execution->reset();
  EXPECT_EQ(again->fence.wait(std::nullopt), FenceState::Signaled);
}

} // namespace
} // namespace avocet::hal
