//===- RingTest.cpp - Rings, completion records and the log ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogicTest.h"

#include <cstring>
#include <random>

namespace avocet::test {
namespace {

constexpr uint32_t kQueueDepth = 256;

using RingTest = LogicTest;

TEST_F(RingTest, JobsEnterInTheOrderOfTheirNumbers) {
  for (uint32_t number = 0; number < 10; ++number)
    submitJob();
  ASSERT_EQ(harness_ring_tail(), 10u);
  for (uint32_t number = 0; number < 10; ++number)
    EXPECT_EQ(harness_ring_entry(number)->sequence, number + 1);
}

TEST_F(RingTest, FullQueueRefusesUntilAJobEnds) {
  for (uint32_t number = 0; number < kQueueDepth; ++number)
    submitJob();
  avocet_submit args = validJob();
  EXPECT_EQ(harness_submit(&args), -EAGAIN);
  endJob(0);
  reap();
  EXPECT_EQ(harness_submit(&args), 0) << "with the same structure";
  harness_schedule();
  EXPECT_EQ(harness_ring_tail(), kQueueDepth + 1);
  EXPECT_EQ(harness_ring_entry(kQueueDepth)->sequence, kQueueDepth + 1) << "in the place of the first";
}

TEST_F(RingTest, JobsAreReportedOneByOne) {
  const uint64_t first = submitJob(), second = submitJob();
  endJob(0);
  reap();
  EXPECT_EQ(outcomeOf(first), kComplete);
  EXPECT_EQ(outcomeOf(second), kPending);
  endJob(1, AVOCET_JOB_FAULTED, 5);
  reap();
  EXPECT_EQ(outcomeOf(second), faultedWith(5));
}

TEST_F(RingTest, ResetPutsJobsWithoutRecordsBackInOrder) {
  for (uint32_t number = 0; number < 5; ++number)
    submitJob();
  endJob(0);
  reap();
  endJob(1); // its interrupt has not come
  harness_reset();
  harness_schedule();
  EXPECT_EQ(outcomeOf(2), kComplete);
  ASSERT_EQ(harness_ring_tail(), 3u);
  for (uint32_t number = 0; number < 3; ++number)
    EXPECT_EQ(harness_ring_entry(number)->sequence, number + 3);
  endJob(0);
  reap();
  EXPECT_EQ(outcomeOf(3), kComplete);
  EXPECT_EQ(outcomeOf(4), kPending);
}

TEST_F(RingTest, TimeoutLeavesOtherJobsOnTheDevice) {
  const uint64_t first = submitJob(), second = submitJob();
  harness_time_out();
  EXPECT_EQ(outcomeOf(first), kPending) << "the device has not said that it ran";
  EXPECT_EQ(outcomeOf(second), kPending);
  ASSERT_EQ(harness_ring_tail(), 2u);
  endJob(0, AVOCET_JOB_FAULTED, AVOCET_FAULT_DEVICE_RESET);
  endJob(1);
  reap();
  EXPECT_EQ(outcomeOf(first), faultedWith(AVOCET_FAULT_DEVICE_RESET));
  EXPECT_EQ(outcomeOf(second), kComplete);
}

TEST_F(RingTest, TimeoutFindsJobWhoseInterruptWasLost) {
  const uint64_t first = submitJob(), second = submitJob();
  endJob(0);
  harness_time_out();
  harness_schedule();
  EXPECT_EQ(outcomeOf(first), kComplete);
  EXPECT_EQ(outcomeOf(second), kPending);
}

TEST_F(RingTest, RingWrapsAfterReset) {
  for (uint32_t number = 0; number < kQueueDepth / 2; ++number)
    submitJob();
  harness_reset();
  for (uint32_t number = 0; number < 3 * kQueueDepth; ++number) {
    endJob(number);
    reap();
    EXPECT_EQ(outcomeOf(number + 1), kComplete);
    submitJob();
  }
  EXPECT_EQ(harness_ring_tail(), kQueueDepth / 2 + 3 * kQueueDepth);
}

TEST_F(RingTest, OutFenceSignalsTheOutcome) {
  avocet_submit args = validJob();
  args.flags = AVOCET_SUBMIT_OUT_FENCE;
  ASSERT_EQ(harness_submit(&args), 0);
  const int first = args.out_fence;
  args = validJob();
  args.flags = AVOCET_SUBMIT_OUT_FENCE;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_schedule();
  EXPECT_EQ(harness_fence_status(first), 0);
  endJob(0);
  endJob(1, AVOCET_JOB_FAULTED, AVOCET_FAULT_CANCELLED);
  reap();
  EXPECT_EQ(harness_fence_status(first), 1);
  EXPECT_EQ(harness_fence_status(args.out_fence), -ECANCELED);
}

TEST_F(RingTest, FencesSignalInTheOrderOfJobs) {
  int fences[3];
  for (int &fence : fences) {
    avocet_submit args = validJob();
    args.flags = AVOCET_SUBMIT_OUT_FENCE;
    ASSERT_EQ(harness_submit(&args), 0);
    fence = args.out_fence;
  }
  harness_schedule();
  endJob(1);
  reap();
  EXPECT_EQ(outcomeOf(2), kComplete) << "WAIT says so at once";
  EXPECT_EQ(harness_fence_status(fences[1]), 0) << "a signaled fence stands for all before it";
  endJob(0);
  reap();
  EXPECT_EQ(harness_fence_status(fences[0]), 1);
  EXPECT_EQ(harness_fence_status(fences[1]), 1);
  EXPECT_EQ(harness_fence_status(fences[2]), 0);
}

TEST_F(RingTest, HostileRecordsOnlyChooseBetweenEnds) {
  std::mt19937 random(7);
  for (uint32_t number = 0; number < 600; ++number) {
    const uint64_t job = submitJob(), next = submitJob();
    avocet_fw_completion *record = harness_record(harness_ring_entry(2 * number));
    ASSERT_NE(record, nullptr);
    avocet_fw_completion garbage;
    for (size_t i = 0; i < sizeof(garbage); ++i)
      reinterpret_cast<uint8_t *>(&garbage)[i] = static_cast<uint8_t>(random());
    garbage.state = number % 3 == 0 ? AVOCET_JOB_COMPLETE : static_cast<uint32_t>(random()) | 2;
    *record = garbage;
    reap();
    avocet_wait args{};
    args.context = 1;
    args.job = job;
    ASSERT_EQ(harness_wait(&args), 0);
    EXPECT_EQ(args.state, static_cast<uint32_t>(number % 3 == 0 ? AVOCET_JOB_COMPLETE : AVOCET_JOB_FAULTED));
    EXPECT_EQ(args.fault_address, garbage.fault_address);
    EXPECT_EQ(outcomeOf(next), kPending) << "the sequence number in a record has no effect";
    endJob(2 * number + 1);
    reap();
    EXPECT_EQ(outcomeOf(next), kComplete);
  }
}

TEST_F(RingTest, WaitCarriesTheBadIndex) {
  avocet_wait args{};
  args.context = 1;
  args.job = submitJob();
  avocet_fw_completion *record = harness_record(harness_ring_entry(0));
  ASSERT_NE(record, nullptr);
  record->index = -5;
  record->index_extent = 7;
  record->index_layer = 3;
  endJob(0);
  reap();
  ASSERT_EQ(harness_wait(&args), 0);
  EXPECT_EQ(args.state, static_cast<uint32_t>(AVOCET_JOB_COMPLETE));
  EXPECT_EQ(args.index, -5);
  EXPECT_EQ(args.index_extent, 7u);
  EXPECT_EQ(args.index_layer, 3u);
}

TEST_F(RingTest, RecordWithoutStateHasNoEffect) {
  const uint64_t job = submitJob();
  avocet_fw_completion *record = harness_record(harness_ring_entry(0));
  std::memset(record, 0xff, sizeof(*record));
  record->state = AVOCET_JOB_PENDING;
  reap();
  EXPECT_EQ(outcomeOf(job), kPending);
}

TEST_F(RingTest, LogKeepsAtLeastTheLast256Jobs) {
  constexpr uint32_t kJobs = 2000;
  for (uint32_t number = 0; number < kJobs; ++number) {
    submitJob();
    endJob(number, AVOCET_JOB_FAULTED, 100 + number);
    reap();
  }
  for (uint64_t job = kJobs - 255; job <= kJobs; ++job)
    EXPECT_EQ(outcomeOf(job), faultedWith(static_cast<uint32_t>(99 + job)));
  EXPECT_EQ(outcomeOf(1), kUnknown);
  EXPECT_EQ(outcomeOf(kJobs - 1000), kUnknown);
}

TEST_F(RingTest, QueuedJobsKeepTheOutcomesBeforeThem) {
  for (uint32_t number = 0; number < 256; ++number) {
    submitJob();
    endJob(number);
    reap();
  }
  for (uint32_t number = 0; number < kQueueDepth; ++number)
    submitJob();
  EXPECT_EQ(outcomeOf(1), kComplete);
  EXPECT_EQ(outcomeOf(256), kComplete);
  EXPECT_EQ(outcomeOf(257), kPending);
  EXPECT_EQ(outcomeOf(512), kPending);
}

TEST_F(RingTest, WaitKnowsNoOtherJobs) {
  const uint64_t job = submitJob();
  EXPECT_EQ(outcomeOf(0), kUnknown);
  EXPECT_EQ(outcomeOf(job + 1), kUnknown);
  EXPECT_EQ(outcomeOf(job + 512), kUnknown) << "its place in the log is that of the job";
  EXPECT_EQ(outcomeOf(~uint64_t{0}), kUnknown);
}

TEST_F(RingTest, WaitEndsAtItsTime) {
  avocet_wait args{};
  args.context = 1;
  args.job = submitJob();
  args.timeout_ns = static_cast<int64_t>(harness_now() + 5'000'000);
  EXPECT_EQ(harness_wait(&args), -ETIMEDOUT);
  EXPECT_GE(static_cast<int64_t>(harness_now()), args.timeout_ns);
  args.timeout_ns = -1;
  EXPECT_EQ(harness_wait(&args), -EINTR) << "nothing but a signal ends it";
}

} // namespace
} // namespace avocet::test
