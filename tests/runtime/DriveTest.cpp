//===- DriveTest.cpp - Threads that run the device --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"

#include <atomic>
#include <random>
#include <thread>

namespace avocet::runtime::test {
namespace {

using namespace std::chrono_literals;
using firmware::FaultCode;

/// Device time of a looping job: long enough for other jobs to be submitted meanwhile.
constexpr uint64_t kLoopNs = 2'000'000;

/// Other clients submit jobs while a thread drives the device. All jobs end, whichever thread runs the device.
TEST(DriveTest, JobsSubmittedDuringDriveEnd) {
  std::shared_ptr<Device> device = openTestDevice();
  CopyClient lender(device), runner(device), submitter(device);
  CopyJob loop = lender.makeEndlessJob(), run = runner.makeJob(), submitted = submitter.makeJob();
  loop.job->setLoopTimeout(kLoopNs);
  for (uint8_t round = 1; round < 20; ++round) {
    run.fill(round);
    submitted.fill(uint8_t(round + 100));
    std::thread lent([&] { EXPECT_EQ(lender.queue->run(*loop.job).code(), StatusCode::DeadlineExceeded); });
    std::thread other([&] { EXPECT_TRUE(runner.queue->run(*run.job).isOk()); });
    EXPECT_TRUE(submitter.queue->submit(*submitted.job).isOk());
    EXPECT_TRUE(submitted.job->fence()->waitFor(kPatience).isOk());
    other.join();
    lent.join();
    EXPECT_TRUE(run.hasCopied(round));
    EXPECT_TRUE(submitted.hasCopied(uint8_t(round + 100)));
  }
}

/// A job after the driving thread's own must not keep that thread.
TEST(DriveTest, DrivingThreadReturnsAfterItsJob) {
  std::shared_ptr<Device> device = openTestDevice();
  CopyClient lender(device, 1), other(device, 2);
  CopyJob job = lender.makeJob(), endless = other.makeEndlessJob();
  for (int round = 0; round < 20; ++round) {
    std::thread lent([&] {
      for (int i = 0; i < 10 && !endless.job->fence()->isSignaled(); ++i)
        EXPECT_TRUE(lender.queue->run(*job.job).isOk());
    });
    ASSERT_TRUE(other.queue->submit(*endless.job).isOk());
    // The endless job may come before the driving thread's; the cancellation ends it on whichever thread runs it.
    EXPECT_FALSE(endless.job->fence()->waitFor(1ms).isOk());
    EXPECT_TRUE(endless.job->cancel().isOk());
    ASSERT_TRUE(endless.job->fence()->waitFor(kPatience).isOk());
    EXPECT_EQ(endless.fault(), FaultCode::Cancelled);
    lent.join();
  }
}

/// Concurrent drives, submissions, cancellations, contexts and resets: every job ends, and no thread hangs.
class DriveStressTest : public testing::TestWithParam<int> {
protected:
  static constexpr int kRounds = 150;

  void runJobs(uint32_t owner) {
    CopyClient client(device_, owner, owner % 8);
    CopyJob job = client.makeJob();
    for (int round = 0; round < kRounds; ++round) {
      const auto value = static_cast<uint8_t>(round);
      job.fill(value);
      if (round % 3 == 0) {
        EXPECT_TRUE(client.queue->submit(*job.job).isOk());
        EXPECT_TRUE(job.job->fence()->waitFor(kPatience).isOk());
      } else {
        (void)client.queue->run(*job.job);
      }
      // A reset may end it while it runs; otherwise its result must be complete.
      EXPECT_TRUE(job.fault() == FaultCode::DeviceReset || job.hasCopied(value)) << describe(job.fault());
    }
  }

  void cancelJobs(uint32_t owner) {
    std::mt19937 random(owner);
    for (int round = 0; round < kRounds / 10; ++round) {
      CopyClient client(device_, owner, owner % 8);
      CopyJob endless = client.makeEndlessJob(), successor = client.makeJob();
      ASSERT_TRUE(client.queue->submit(*endless.job).isOk());
      ASSERT_TRUE(client.queue->submit(*successor.job).isOk());
      if (random() % 2 == 0)
        std::this_thread::yield();
      EXPECT_TRUE(endless.job->cancel().isOk());
      EXPECT_TRUE(endless.job->fence()->waitFor(kPatience).isOk());
      EXPECT_NE(endless.fault(), FaultCode::None);
      EXPECT_TRUE(successor.job->fence()->waitFor(kPatience).isOk());
    }
  }

  std::shared_ptr<Device> device_ = openTestDevice();
};

TEST_P(DriveStressTest, EveryJobEnds) {
  std::vector<std::thread> threads;
  for (uint32_t owner = 0; owner < 6; ++owner)
    threads.emplace_back([this, owner] { runJobs(owner); });
  for (uint32_t owner = 6; owner < 8; ++owner)
    threads.emplace_back([this, owner] { cancelJobs(owner); });
  for (int i = 0; i < GetParam(); ++i) {
    EXPECT_TRUE(device_->reset().isOk());
    std::this_thread::sleep_for(2ms);
  }
  for (std::thread &thread : threads)
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(Resets, DriveStressTest, testing::Values(0, 20));

} // namespace
} // namespace avocet::runtime::test
