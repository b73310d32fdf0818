//===- ConditionsTest.cpp - Dependencies, deadlines and cancellation --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"

#include <thread>

namespace avocet::runtime::test {
namespace {

using namespace std::chrono_literals;
using firmware::FaultCode;

class ConditionsTest : public testing::Test {
protected:
  static SubmitOptions after(std::span<Fence *const> fences) {
    SubmitOptions options;
    options.after = fences;
    return options;
  }

  std::shared_ptr<Device> device_ = openTestDevice();
};

TEST_F(ConditionsTest, UnusableFencesAreRefused) {
  CopyClient client(device_), stranger(openTestDevice());
  CopyJob job = client.makeJob(), idle = client.makeJob(), foreign = stranger.makeJob();
  ASSERT_TRUE(stranger.queue->run(*foreign.job).isOk());
  for (Fence *fence : {static_cast<Fence *>(nullptr), idle.job->fence().get(), foreign.job->fence().get()}) {
    Fence *const fences[] = {fence};
    EXPECT_EQ(client.queue->submit(*job.job, after(fences)).code(), StatusCode::InvalidArgument);
    EXPECT_TRUE(job.job->fence()->isSignaled());
  }
  EXPECT_TRUE(client.queue->run(*job.job).isOk());
}

TEST_F(ConditionsTest, FailedSubmissionLeavesFenceUnsubmitted) {
  CopyClient client(device_);
  CopyJob job = client.makeJob(), next = client.makeJob();
  ASSERT_TRUE(client.queue->run(*job.job).isOk());
  Fence *const nothing[] = {nullptr};
  ASSERT_EQ(client.queue->submit(*job.job, after(nothing)).code(), StatusCode::InvalidArgument);
  Fence *const failed[] = {job.job->fence().get()};
  EXPECT_EQ(client.queue->submit(*next.job, after(failed)).code(), StatusCode::InvalidArgument);
}

TEST_F(ConditionsTest, CompletedDependenciesAreIgnored) {
  CopyClient first(device_), second(device_);
  CopyJob done = first.makeJob(), job = second.makeJob();
  ASSERT_TRUE(first.queue->run(*done.job).isOk());
  // More than the limit of dependencies: completed ones do not count.
  std::vector<Fence *> fences(firmware::kMaxDependencies + 1, done.job->fence().get());
  job.fill(9);
  EXPECT_TRUE(second.queue->run(*job.job, after(fences)).isOk());
  EXPECT_TRUE(job.hasCopied(9));
}

TEST_F(ConditionsTest, TooManyFencesAreRefused) {
  CopyClient first(device_), second(device_);
  CopyJob endless = first.makeEndlessJob(), job = second.makeJob();
  ASSERT_TRUE(first.queue->submit(*endless.job).isOk());
  std::vector<Fence *> fences(firmware::kMaxDependencies + 1, endless.job->fence().get());
  EXPECT_EQ(second.queue->submit(*job.job, after(fences)).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(endless.job->cancel().isOk());
}

TEST_F(ConditionsTest, FailedDependencyFailsDependentJobs) {
  CopyClient first(device_), second(device_);
  CopyJob failed = first.makeEndlessJob(), job = second.makeJob(), last = second.makeJob();
  failed.job->setLoopTimeout(1'000);
  ASSERT_EQ(first.queue->run(*failed.job).code(), StatusCode::DeadlineExceeded);
  Fence *const onFailed[] = {failed.job->fence().get()};
  ASSERT_TRUE(second.queue->submit(*job.job, after(onFailed)).isOk());
  job.job->fence()->wait();
  EXPECT_EQ(job.fault(), FaultCode::DependencyFailed);
  Status status = statusOf(job.job->fence()->outcome());
  EXPECT_EQ(status.code(), StatusCode::Aborted);
  EXPECT_NE(status.message().find("dependency_failed"), std::string::npos) << status.message();
  // The failure propagates along the chain of dependencies.
  Fence *const onJob[] = {job.job->fence().get()};
  EXPECT_EQ(second.queue->run(*last.job, after(onJob)).code(), StatusCode::Aborted);
  EXPECT_EQ(last.fault(), FaultCode::DependencyFailed);
}

TEST_F(ConditionsTest, QueuedJobIsCancelledAtOnce) {
  CopyClient first(device_), second(device_);
  CopyJob endless = first.makeEndlessJob(), successor = first.makeJob(), elsewhere = second.makeJob();
  ASSERT_TRUE(first.queue->submit(*endless.job).isOk());
  ASSERT_TRUE(first.queue->submit(*successor.job).isOk());
  EXPECT_TRUE(successor.job->cancel().isOk());
  EXPECT_TRUE(successor.job->cancel().isOk());
  ASSERT_TRUE(successor.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(successor.fault(), FaultCode::Cancelled);
  EXPECT_EQ(statusOf(successor.job->fence()->outcome()).code(), StatusCode::Aborted);
  EXPECT_FALSE(endless.job->fence()->isSignaled());
  // Its queue entry is free again, and the job can be submitted again.
  ASSERT_TRUE(first.queue->submit(*successor.job).isOk());
  EXPECT_TRUE(endless.job->cancel().isOk());
  ASSERT_TRUE(endless.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(endless.fault(), FaultCode::Cancelled);
  ASSERT_TRUE(successor.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(successor.fault(), FaultCode::None);
}

TEST_F(ConditionsTest, CancellingEndedJobHasNoEffect) {
  CopyClient client(device_);
  CopyJob job = client.makeJob();
  EXPECT_TRUE(job.job->cancel().isOk());
  ASSERT_TRUE(client.queue->run(*job.job).isOk());
  const JobReference ended = job.job->fence()->submitted().job;
  EXPECT_TRUE(job.job->cancel().isOk());
  EXPECT_TRUE(client.queue->run(*job.job).isOk());
  EXPECT_TRUE(device_->cancel(ended).isOk());
  EXPECT_EQ(device_->cancel({ended.context, ended.job + 100}).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(device_->cancel({ended.context + 1, ended.job}).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(client.queue->run(*job.job).isOk());
}

TEST_F(ConditionsTest, DrivingThreadReturnsFromCancelledJob) {
  CopyClient client(device_);
  CopyJob endless = client.makeEndlessJob();
  std::thread canceller([&] {
    while (endless.job->fence()->isSignaled())
      std::this_thread::yield();
    EXPECT_TRUE(endless.job->cancel().isOk());
  });
  EXPECT_EQ(client.queue->run(*endless.job).code(), StatusCode::Aborted);
  canceller.join();
  EXPECT_EQ(endless.fault(), FaultCode::Cancelled);
}

TEST_F(ConditionsTest, DeadlinesCountDeviceTimeFromSubmission) {
  CopyClient client(device_);
  CopyJob endless = client.makeEndlessJob();
  // From the second run on, the device's clock is not 0 at submission.
  for (auto limit : {2'000'000ns, 1'000'000ns, 0ns, -5ns}) {
    SubmitOptions options;
    options.deadline = limit;
    EXPECT_EQ(client.queue->run(*endless.job, options).code(), StatusCode::DeadlineExceeded);
    const JobOutcome outcome = endless.job->fence()->outcome();
    EXPECT_EQ(outcome.fault, FaultCode::DeadlineMissed);
    const auto clock = static_cast<double>(testTarget()->clockHz());
    const double allowed = static_cast<double>(std::max(limit, 0ns).count()) * 1e-9 * clock;
    EXPECT_LT(static_cast<double>(outcome.counters.cycles), 1.1 * allowed + 0.0001 * clock);
    EXPECT_GT(static_cast<double>(outcome.counters.cycles), 0.9 * allowed - 0.0001 * clock);
  }
  SubmitOptions generous;
  generous.deadline = std::chrono::nanoseconds::max();
  CopyJob job = client.makeJob();
  EXPECT_TRUE(client.queue->run(*job.job, generous).isOk());
}

TEST_F(ConditionsTest, BacklogCountsJobsThatHaveNotEnded) {
  CopyClient low(device_, 0, 1), high(device_, 0, 5);
  CopyJob endless = low.makeEndlessJob(1000), urgent = high.makeEndlessJob(70);
  ASSERT_TRUE(low.queue->submit(*endless.job).isOk());
  ASSERT_TRUE(high.queue->submit(*urgent.job).isOk());
  EXPECT_EQ(device_->backlogCycles(0), 1070u);
  EXPECT_EQ(device_->backlogCycles(1), 1070u);
  EXPECT_EQ(device_->backlogCycles(2), 70u);
  EXPECT_EQ(device_->backlogCycles(6), 0u);
  EXPECT_EQ(device_->backlogCycles(1000), 0u);
  for (CopyJob *job : {&endless, &urgent}) {
    EXPECT_TRUE(job->job->cancel().isOk());
    job->job->fence()->wait();
  }
  EXPECT_EQ(device_->backlogCycles(0), 0u);
  Fence *const nothing[] = {nullptr};
  SubmitOptions options;
  options.after = nothing;
  EXPECT_FALSE(low.queue->submit(*endless.job, options).isOk());
  EXPECT_EQ(device_->backlogCycles(0), 0u) << "what was not submitted is no load";
}

} // namespace
} // namespace avocet::runtime::test
