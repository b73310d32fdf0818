//===- SubmitTest.cpp - Checks of SUBMIT, fences and deadlines ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogicTest.h"

#include <cstring>

namespace avocet::test {
namespace {

struct Spoiled {
  const char *name;
  void (*spoil)(avocet_submit &args, avocet_stream &stream, avocet_region &region);
  int error = -EINVAL;
};

class SpoiledSubmitTest : public LogicTest, public testing::WithParamInterface<Spoiled> {};

TEST_P(SpoiledSubmitTest, IsRefusedWithoutEffect) {
  avocet_submit args = validJob();
  GetParam().spoil(args, streams_[1], regions_[1]);
  EXPECT_EQ(harness_submit(&args), GetParam().error);
  harness_schedule();
  EXPECT_EQ(harness_ring_tail(), 0u);
  EXPECT_EQ(outcomeOf(1), kUnknown);
}

#define SPOIL(name, change, ...)                                                                                       \
  Spoiled {                                                                                                            \
    name, [](avocet_submit &a, avocet_stream &s, avocet_region &r) { change; }, ##__VA_ARGS__                          \
  }

INSTANTIATE_TEST_SUITE_P(
    , SpoiledSubmitTest,
    testing::Values(SPOIL("Flags", a.flags = 2), SPOIL("Padding", a.pad = 1), SPOIL("JobIsOutput", a.job = 1),
                    SPOIL("FenceIsOutput", a.out_fence = 3), SPOIL("NoStream", a.stream_count = 0),
                    SPOIL("TooManyStreams", a.stream_count = AVOCET_MAX_JOB_STREAMS + 1),
                    SPOIL("HugeStreamCount", a.stream_count = ~0u),
                    SPOIL("TooManyRegions", a.region_count = HARNESS_MAX_REGIONS + 1),
                    SPOIL("HugeRegionCount", a.region_count = ~0u), SPOIL("TooManyFences", a.in_fence_count = 17),
                    SPOIL("Priority", a.priority = AVOCET_MAX_PRIORITY + 1),
                    SPOIL("ControlProgram", a.control_program = 4), SPOIL("Encoding", ++a.encoding_version, -EPROTO),
                    SPOIL("Fingerprint", ++a.target_fingerprint, -EPROTO), SPOIL("Context", a.context = 2, -ENOENT),
                    SPOIL("StreamPointer", a.streams = 0, -EFAULT), SPOIL("RegionPointer", a.regions = 0, -EFAULT),
                    SPOIL("FencePointer", a.in_fences = 0; a.in_fence_count = 1, -EFAULT),
                    SPOIL("FenceDescriptor", a.in_fence_count = 1, -EBADF), SPOIL("Engine", s.engine_kind = 3),
                    SPOIL("Channel", s.engine_index = HARNESS_DMA_CHANNELS),
                    SPOIL("DspChannel", s.engine_kind = AVOCET_ENGINE_DSP),
                    SPOIL("StreamAddress", s.device_address += 2),
                    SPOIL("StreamWords", s.words = HARNESS_MAX_STREAM_WORDS + 1), SPOIL("NoAccess", r.access = 0),
                    SPOIL("UnknownAccess", r.access = 4), SPOIL("RegionPadding", r.pad = 1),
                    SPOIL("RegionWraps", r.device_address = ~0xfffull; r.size = 1ull << 63),
                    SPOIL("StreamWraps", s.device_address = ~3ull; s.words = 16),
                    SPOIL("ControlProgramWraps", a.control_program = ~7ull; a.control_words = ~0u)),
    [](const auto &info) { return info.param.name; });

using SubmitTest = LogicTest;

TEST_F(SubmitTest, DescriptorAndTablesReachTheRing) {
  avocet_submit args = validJob();
  args.priority = 5;
  args.user_data = 77;
  args.watchdog_cycles = 1000;
  ASSERT_EQ(harness_submit(&args), 0);
  EXPECT_EQ(args.out_fence, -1);
  EXPECT_EQ(harness_ring_tail(), 0u) << "the scheduler has not run";
  harness_schedule();
  ASSERT_EQ(harness_ring_tail(), 1u);
  const avocet_fw_job &job = *harness_ring_entry(0);
  EXPECT_EQ(job.sequence, args.job);
  EXPECT_EQ(job.context, 1u);
  EXPECT_EQ(job.priority, 5u);
  EXPECT_EQ(job.user_data, 77u);
  EXPECT_EQ(job.watchdog_cycles, 1000u);
  EXPECT_EQ(job.dependency_count, 0u);
  const void *streams = harness_memory(job.stream_table, sizeof(streams_));
  const void *regions = harness_memory(job.region_table, sizeof(regions_));
  ASSERT_TRUE(streams && regions);
  EXPECT_EQ(std::memcmp(streams, streams_, sizeof(streams_)), 0);
  EXPECT_EQ(std::memcmp(regions, regions_, sizeof(regions_)), 0);
  ASSERT_NE(harness_record(&job), nullptr);
  EXPECT_EQ(harness_record(&job)->state, static_cast<uint32_t>(AVOCET_JOB_PENDING));
}

TEST_F(SubmitTest, LostDeviceTakesNoJob) {
  firmware_.wrong_kinds = 1;
  EXPECT_EQ(harness_mailbox(), -ENODEV);
  avocet_submit args = validJob();
  EXPECT_EQ(harness_submit(&args), -ENODEV);
}

TEST_F(SubmitTest, EachFailedAllocationIsUndone) {
  const int before = harness_allocations();
  fences_[0] = harness_make_fence();
  int failures = 0;
  for (int number = 1;; ++number) {
    avocet_submit args = validJob();
    args.flags = AVOCET_SUBMIT_OUT_FENCE;
    args.in_fence_count = 1;
    harness_fail_allocation(number);
    const int error = harness_submit(&args);
    harness_fail_allocation(0);
    if (error == 0)
      break;
    EXPECT_EQ(error, -ENOMEM) << number;
    EXPECT_EQ(args.job, 0u);
    EXPECT_EQ(args.out_fence, 0);
    ++failures;
  }
  EXPECT_GE(failures, 5) << "tables, job, fences";
  harness_signal_fence(fences_[0], 0);
  harness_schedule();
  EXPECT_GT(harness_allocations(), before);
}

TEST_F(SubmitTest, JobWaitsForItsFence) {
  fences_[0] = harness_make_fence();
  avocet_submit args = validJob();
  args.in_fence_count = 1;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_schedule();
  EXPECT_EQ(harness_ring_tail(), 0u);
  harness_signal_fence(fences_[0], 0);
  harness_schedule();
  EXPECT_EQ(harness_ring_tail(), 1u);
}

TEST_F(SubmitTest, FailedFenceFailsJob) {
  fences_[0] = harness_make_fence();
  avocet_submit args = validJob();
  args.in_fence_count = 1;
  args.flags = AVOCET_SUBMIT_OUT_FENCE;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_signal_fence(fences_[0], -EIO);
  harness_schedule();
  EXPECT_EQ(harness_ring_tail(), 0u);
  EXPECT_EQ(outcomeOf(args.job), faultedWith(AVOCET_FAULT_DEPENDENCY_FAILED));
  EXPECT_EQ(harness_fence_status(args.out_fence), -EIO);
}

TEST_F(SubmitTest, CancelledJobDoesNotWaitForItsFence) {
  fences_[0] = harness_make_fence();
  avocet_submit args = validJob();
  args.in_fence_count = 1;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_schedule();
  firmware_.code = AVOCET_REPLY_NO_SUCH_JOB;
  EXPECT_EQ(harness_cancel(args.job), 0);
  harness_schedule();
  EXPECT_EQ(outcomeOf(args.job), faultedWith(AVOCET_FAULT_CANCELLED));
  EXPECT_EQ(harness_ring_tail(), 0u);
  harness_signal_fence(fences_[0], 0); // still the caller's
}

TEST_F(SubmitTest, CancelOfUnknownJobIsRefused) {
  EXPECT_EQ(harness_cancel(0), -ENOENT);
  EXPECT_EQ(harness_cancel(1), -ENOENT);
  EXPECT_EQ(firmware_.requests[AVOCET_MESSAGE_CANCEL], 0u);
}

TEST_F(SubmitTest, PassedDeadlineEndsJobBeforeTheDevice) {
  avocet_submit args = validJob();
  args.deadline_ns = harness_now();
  args.flags = AVOCET_SUBMIT_OUT_FENCE;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_schedule();
  EXPECT_EQ(outcomeOf(args.job), faultedWith(AVOCET_FAULT_DEADLINE_MISSED));
  EXPECT_EQ(harness_fence_status(args.out_fence), -ETIME);
}

TEST_F(SubmitTest, RefusedJobSignalsAfterEarlierJobs) {
  avocet_submit first = validJob(), second = validJob();
  first.flags = second.flags = AVOCET_SUBMIT_OUT_FENCE;
  second.deadline_ns = harness_now();
  ASSERT_EQ(harness_submit(&first), 0);
  ASSERT_EQ(harness_submit(&second), 0);
  harness_schedule();
  EXPECT_EQ(harness_ring_tail(), 1u);
  EXPECT_EQ(outcomeOf(second.job), faultedWith(AVOCET_FAULT_DEADLINE_MISSED));
  EXPECT_EQ(harness_fence_status(second.out_fence), 0) << "the first job runs";
  harness_reset();
  EXPECT_EQ(harness_ring_tail(), 1u) << "the refused job enters no ring";
  endJob(0);
  reap();
  EXPECT_EQ(harness_fence_status(first.out_fence), 1);
  EXPECT_EQ(harness_fence_status(second.out_fence), -ETIME);
}

TEST_F(SubmitTest, DeadlineAfterAnyCycleCountIsValid) {
  firmware_.cycles = ~uint64_t{0};
  avocet_submit args = validJob();
  args.deadline_ns = harness_now() + 123;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_schedule();
  EXPECT_EQ(harness_ring_entry(0)->deadline_ns, ~uint64_t{0});
}

TEST_F(SubmitTest, DeadlineIsGivenInDeviceTime) {
  avocet_submit args = validJob();
  args.deadline_ns = harness_now() + 123;
  ASSERT_EQ(harness_submit(&args), 0);
  harness_schedule();
  // 5000 cycles at 1 MHz have passed on the device.
  EXPECT_EQ(harness_ring_entry(0)->deadline_ns, 5'000'123u);
}

} // namespace
} // namespace avocet::test
