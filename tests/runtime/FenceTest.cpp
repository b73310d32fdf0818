//===- FenceTest.cpp - Fences -----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Fence.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <thread>

namespace avocet::runtime::test {
namespace {

using namespace std::chrono_literals;

bool polls(const FileDescriptor &descriptor) {
  pollfd entry{descriptor.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

JobOutcome faulted(firmware::FaultCode fault) {
  JobOutcome outcome;
  outcome.state = firmware::JobState::Faulted;
  outcome.fault = fault;
  return outcome;
}

TEST(FenceTest, StartsSignaled) {
  Fence fence;
  EXPECT_TRUE(fence.isSignaled());
  fence.wait();
  EXPECT_TRUE(fence.waitFor(0ns).isOk());
  EXPECT_TRUE(statusOf(fence.outcome()).isOk());
}

TEST(FenceTest, WaitsWithoutFreeDescriptors) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  Fence fence;
  ASSERT_TRUE(fence.arm(1, 1).isOk());
  EXPECT_EQ(fence.waitFor(5ms).code(), StatusCode::DeadlineExceeded);
  std::thread signaler([&] { fence.signal({}); });
  EXPECT_TRUE(fence.waitFor(60s).isOk());
  signaler.join();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(FenceTest, CannotBeArmedTwice) {
  Fence fence;
  ASSERT_TRUE(fence.arm(1, 1).isOk());
  EXPECT_EQ(fence.arm(1, 1).code(), StatusCode::FailedPrecondition);
  EXPECT_FALSE(fence.isSignaled());
  fence.signal(faulted(firmware::FaultCode::Watchdog));
  EXPECT_TRUE(fence.isSignaled());
  EXPECT_EQ(fence.outcome().fault, firmware::FaultCode::Watchdog);
  EXPECT_TRUE(fence.arm(1, 1).isOk());
  fence.signal({});
}

TEST(FenceTest, WatchdogMessageNamesLimitAndPrediction) {
  const auto messageWith = [](uint64_t limit, uint64_t predicted) {
    Fence fence;
    EXPECT_TRUE(fence.arm(1, 1).isOk());
    fence.limit(limit, predicted);
    fence.signal(faulted(firmware::FaultCode::Watchdog));
    return std::string(statusOf(fence.outcome()).message());
  };
  EXPECT_EQ(messageWith(8'000'000'000, 1'000'000'000),
            "the job ended with fault watchdog: the job ran longer than its limit (8000000000 cycles for a section, "
            "predicted 1000000000 cycles)");
  EXPECT_EQ(messageWith(0, 0),
            "the job ended with fault watchdog: the job ran longer than its limit (1073741824 cycles without a yield "
            "point, no prediction)");
}

TEST(FenceTest, WaitEndsAtTimeLimit) {
  Fence fence;
  ASSERT_TRUE(fence.arm(1, 1).isOk());
  EXPECT_EQ(fence.waitFor(2ms).code(), StatusCode::DeadlineExceeded);
  fence.signal({});
  EXPECT_TRUE(fence.waitFor(2ms).isOk());
}

TEST(FenceTest, DescriptorIsReadableWhileSignaled) {
  Fence fence;
  Result<FileDescriptor> early = fence.descriptor();
  ASSERT_TRUE(early.isOk());
  EXPECT_TRUE(polls(*early));
  ASSERT_TRUE(fence.arm(1, 1).isOk());
  EXPECT_FALSE(polls(*early));
  Result<FileDescriptor> late = fence.descriptor();
  ASSERT_TRUE(late.isOk());
  fence.signal({});
  EXPECT_TRUE(polls(*early));
  EXPECT_TRUE(polls(*late));
}

TEST(FenceTest, WakesWaitersOfOtherThreads) {
  for (int round = 0; round < 200; ++round) {
    auto fence = std::make_unique<Fence>();
    ASSERT_TRUE(fence->arm(1, 1).isOk());
    std::thread signaler([&fence] { fence->signal({}); });
    if (round % 2 == 0)
      fence->wait();
    else
      EXPECT_TRUE(fence->waitFor(60s).isOk());
    // The signaler may still execute its last instructions: the destructor must wait for it.
    Fence *raw = fence.get();
    EXPECT_TRUE(raw->isSignaled());
    signaler.join();
  }
}

TEST(FenceTest, ReportsLastSubmittedJob) {
  Fence fence;
  EXPECT_EQ(fence.submitted().device, 0u);
  ASSERT_TRUE(fence.arm(7, 3).isOk());
  EXPECT_EQ(fence.submitted().job.job, 0u) << "not queued yet";
  fence.jobQueued(99);
  fence.jobEnded(99, {});
  EXPECT_EQ(fence.submitted().device, 7u);
  EXPECT_EQ(fence.submitted().job.context, 3u);
  EXPECT_EQ(fence.submitted().job.job, 99u);
  ASSERT_TRUE(fence.arm(7, 3).isOk());
  EXPECT_EQ(fence.submitted().job.job, 0u);
  fence.disarm();
  EXPECT_TRUE(fence.isSignaled());
  EXPECT_EQ(fence.submitted().device, 0u);
}

TEST(FenceTest, CancelDuringSubmissionIsLeftToSubmitter) {
  Fence fence;
  EXPECT_EQ(fence.requestCancel().job, 0u) << "there is nothing to cancel";
  EXPECT_FALSE(fence.isCancelRequested());
  ASSERT_TRUE(fence.arm(7, 3).isOk());
  EXPECT_EQ(fence.requestCancel().job, 0u);
  EXPECT_TRUE(fence.isCancelRequested());
  fence.signal({});
  ASSERT_TRUE(fence.arm(7, 3).isOk());
  EXPECT_FALSE(fence.isCancelRequested()) << "it was for the submission before";
  fence.jobQueued(100);
  EXPECT_EQ(fence.requestCancel().job, 100u);
  EXPECT_EQ(fence.requestCancel().context, 3u);
  fence.signal({});
}

TEST(FenceTest, FaultsMapToStatusCodes) {
  EXPECT_EQ(statusOf(faulted(firmware::FaultCode::Cancelled)).code(), StatusCode::Aborted);
  EXPECT_EQ(statusOf(faulted(firmware::FaultCode::DeviceReset)).code(), StatusCode::Aborted);
  EXPECT_EQ(statusOf(faulted(firmware::FaultCode::Watchdog)).code(), StatusCode::DeadlineExceeded);
  JobOutcome outcome = faulted(firmware::FaultCode::RegionOutOfBounds);
  outcome.faultEngineKind = 2;
  outcome.faultEngineIndex = 1;
  outcome.faultCommand = 7;
  outcome.faultRegion = 3;
  outcome.faultAddress = 0x40;
  Status status = statusOf(outcome);
  EXPECT_EQ(status.code(), StatusCode::DeviceFault);
  EXPECT_NE(status.message().find("region_out_of_bounds"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("DMA channel 1, command 7, region 3 at 0x40"), std::string::npos) << status.message();
}

} // namespace
} // namespace avocet::runtime::test
