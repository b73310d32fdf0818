//===- ScheduleTest.cpp - Order, deadlines and failures of jobs -*- C++ -*-===//
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
using std::chrono::hours;
using std::chrono::seconds;

constexpr uint64_t kPage = 4096;

class ScheduleTest : public FencedFixture {
protected:
  /// A model with its own context, and a launch of it that waits for `start`.
  struct Contender {
    std::shared_ptr<IPreparedModel> model;
    std::unique_ptr<TestPool> input = std::make_unique<TestPool>(kPage), output = std::make_unique<TestPool>(kPage);
    ForeignFence start;
    FencedLaunch launch;
  };

  Contender contender(Priority priority, const OptionalTimePoint &deadline = {}) {
    Contender contender;
    PrepareOptions prepareOptions;
    prepareOptions.priority = priority;
    contender.model = prepare(addConstantModel(std::vector<float>(kCount, 1)), prepareOptions);
    FencedOptions options;
    options.execution.deadline = deadline;
    auto launched =
        contender.model->executeFenced(step(*contender.input, *contender.output), {contender.start.fence()}, options);
    EXPECT_TRUE(launched.isOk()) << launched.error().message;
    contender.launch = *launched;
    return contender;
  }

  /// Submits all in order while the first one holds the device; returns their job numbers in execution order.
  std::vector<uint64_t> run(std::vector<Contender> &contenders) {
    gate_.close();
    for (size_t i = 0; i < contenders.size(); ++i) {
      contenders[i].start.signal();
      observer_.awaitSubmissions(i + 1);
      if (i == 0)
        gate_.awaitJob();
    }
    gate_.open();
    for (Contender &each : contenders)
      end(each.launch);
    return gate_.jobs();
  }

  TestPool input_{kPage}, output_{kPage};
};

TEST_F(ScheduleTest, HighPriorityRunsBeforeQueuedLowPriority) {
  std::vector<Contender> contenders;
  for (Priority priority : {Priority::Low, Priority::Low, Priority::Medium, Priority::High})
    contenders.push_back(contender(priority));
  EXPECT_EQ(run(contenders), (std::vector<uint64_t>{1, 4, 3, 2}));
  for (Contender &each : contenders)
    EXPECT_EQ(each.launch.fence.state(), FenceState::Signaled);
}

TEST_F(ScheduleTest, EarliestDeadlineRunsFirstWithinPriority) {
  std::vector<Contender> contenders;
  contenders.push_back(contender(Priority::Medium));
  contenders.push_back(contender(Priority::Medium));
  contenders.push_back(contender(Priority::Medium, clock_.now() + hours(3)));
  contenders.push_back(contender(Priority::Medium, clock_.now() + hours(1)));
  contenders.push_back(contender(Priority::Medium, clock_.now() + hours(2)));
  EXPECT_EQ(run(contenders), (std::vector<uint64_t>{1, 4, 5, 3, 2}));
  EXPECT_EQ(observer_.submissions()[3].deadline, Duration(hours(1)));
  EXPECT_FALSE(observer_.submissions()[0].deadline.has_value());
}

TEST_F(ScheduleTest, DeviceEndsJobAfterDeadline) {
  observer_.edit = [](runtime::Submission &submission) {
    if (submission.deadline)
      submission.deadline = std::chrono::nanoseconds(1);
  };
  ExecutionOptions options;
  options.deadline = clock_.now() + hours(1);
  ExecutionOutcome outcome = model_->execute(step(input_, output_), options);
  EXPECT_EQ(outcome.status, ErrorStatus::MissedDeadlineTransient) << outcome.message;
  EXPECT_TRUE(outcome.outputShapes.empty());
  EXPECT_TRUE(model_->execute(step(input_, output_), {}).isOk());
}

TEST_F(ScheduleTest, RefusesLaunchThatCannotMeetDeadline) {
  auto codeWith = [&](Duration left) {
    ExecutionOptions options;
    options.deadline = clock_.now() + left;
    return model_->execute(step(input_, output_), options).status;
  };
  EXPECT_TRUE(model_->execute(step(input_, output_), {}).isOk());
  EXPECT_EQ(codeWith(Duration(1)), ErrorStatus::MissedDeadlinePersistent);
  Contender first = contender(Priority::High), other = contender(Priority::Low);
  gate_.close();
  first.start.signal();
  gate_.awaitJob();
  // One job of the same size is queued: below its own time is a persistent miss, below twice that a transient one.
  Duration left(1);
  while (codeWith(left) == ErrorStatus::MissedDeadlinePersistent)
    left *= 2;
  EXPECT_EQ(codeWith(left), ErrorStatus::MissedDeadlineTransient);
  const size_t submissions = observer_.submissions().size();
  other.start.signal();
  observer_.awaitSubmissions(submissions + 1);
  gate_.open();
  end(first.launch);
  end(other.launch);
  EXPECT_EQ(codeWith(hours(1)), ErrorStatus::None);
  EXPECT_EQ(observer_.submissions().size(), submissions + 2) << "a refused launch came to the device";
}

TEST_F(ScheduleTest, DeadlineOnHostClockEndsWait) {
  EXPECT_TRUE(model_->execute(step(input_, output_), {}).isOk());
  gate_.close();
  ExecutionOutcome outcome;
  std::thread caller([&] {
    ExecutionOptions options;
    options.deadline = clock_.now() + seconds(1);
    outcome = model_->execute(step(input_, output_), options);
  });
  gate_.awaitJob();
  clock_.advance(seconds(1));
  caller.join(); // although the device has not finished the job
  EXPECT_EQ(outcome.status, ErrorStatus::MissedDeadlineTransient) << outcome.message;
  gate_.open();
  EXPECT_TRUE(model_->execute(step(input_, output_), {}).isOk());
}

TEST_F(ScheduleTest, HangingJobFailsAlone) {
  PrepareOptions high;
  high.priority = Priority::High;
  auto hanging = prepare(addConstantModel(std::vector<float>(kCount, 1)), high);
  ASSERT_NE(hanging, nullptr);
  observer_.edit = [](runtime::Submission &submission) {
    if (submission.priority == 5)
      submission.watchdogCycles = 1;
  };
  auto execution = model_->executeFenced(step(input_, output_), {}, {});
  ExecutionOutcome outcome = hanging->execute(step(input_, output_), {});
  EXPECT_EQ(outcome.status, ErrorStatus::GeneralFailure);
  EXPECT_NE(outcome.message.find("watchdog"), std::string::npos) << outcome.message;
  ASSERT_TRUE(execution.isOk());
  EXPECT_EQ(execution->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_TRUE(model_->execute(step(input_, output_), {}).isOk());
  observer_.edit = nullptr;
  EXPECT_TRUE(hanging->execute(step(input_, output_), {}).isOk());
}

TEST_F(ScheduleTest, ResetFailsAtMostTheRunningJob) {
  std::vector<Contender> contenders;
  for (int i = 0; i < 4; ++i)
    contenders.push_back(contender(Priority::Medium));
  gate_.close();
  for (Contender &each : contenders)
    each.start.signal();
  observer_.awaitSubmissions(contenders.size());
  gate_.awaitJob();
  std::thread resetter([&] { EXPECT_TRUE(observer_.device->reset().isOk()); });
  gate_.open();
  int numFailed = 0;
  for (Contender &each : contenders) {
    const bool isGood = end(each.launch) == FenceState::Signaled;
    EXPECT_EQ(each.launch.info->executionInfo().code(), isGood ? ErrorStatus::None : ErrorStatus::GeneralFailure);
    EXPECT_TRUE(!isGood || each.output->as<float>()[0] == 1);
    numFailed += isGood ? 0 : 1;
  }
  resetter.join();
  EXPECT_LE(numFailed, 1);
  EXPECT_TRUE(model_->execute(step(input_, output_), {}).isOk());
}

} // namespace
} // namespace avocet::hal
