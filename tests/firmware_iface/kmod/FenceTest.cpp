//===- FenceTest.cpp - Fences of submissions --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cerrno>

namespace avocet::kmod {
namespace {

constexpr uint32_t kBytes = 4096;

avocet_syncobj awaits(uint32_t handle, uint64_t point) { return {handle, AVOCET_SYNCOBJ_WAIT, point}; }
avocet_syncobj signals(uint32_t handle, uint64_t point) { return {handle, AVOCET_SYNCOBJ_SIGNAL, point}; }

TEST(FenceTest, TimelineOrdersJobsOfTwoContexts) {
  Driver driver;
  const uint32_t timeline = driver.makeSyncobj();
  CopyJob slow(driver, kSlowBytes, kSlowRepetitions), quick(driver, kBytes);
  const uint64_t first = slow.mustSubmit({signals(timeline, 5)});
  const uint64_t second = quick.mustSubmit({awaits(timeline, 5), signals(timeline, 7)}, 7);
  const uint64_t point = 7;
  DrmSyncobjTimelineWait wait{};
  wait.handles = reinterpret_cast<uintptr_t>(&timeline);
  wait.points = reinterpret_cast<uintptr_t>(&point);
  wait.timeoutNs = INT64_MAX;
  wait.count = 1;
  EXPECT_EQ(driver.call(kSyncobjTimelineWait, &wait), 0);
  EXPECT_FALSE(driver.isPending(quick.context(), second));
  EXPECT_GE(driver.wait(quick.context(), second).start_cycle, driver.wait(slow.context(), first).end_cycle);
}

TEST(FenceTest, HighPriorityJobWaitsForALowOne) {
  Driver driver;
  const uint32_t done = driver.makeSyncobj();
  CopyJob busy(driver, kSlowBytes, kSlowRepetitions), low(driver, kBytes), high(driver, kBytes);
  busy.mustSubmit({}, 3);
  busy.mustSubmit({}, 3);
  const uint64_t first = low.mustSubmit({signals(done, 0)}, 0);
  const uint64_t second = high.mustSubmit({awaits(done, 0)}, 7);
  EXPECT_GE(driver.wait(high.context(), second).start_cycle, driver.wait(low.context(), first).end_cycle);
}

TEST(FenceTest, FailedJobFailsThoseThatWaitForIt) {
  Driver driver;
  const uint32_t done = driver.makeSyncobj();
  CopyJob slow(driver, kSlowBytes, kSlowRepetitions), quick(driver, kBytes);
  CopyJob after(driver, kBytes);
  slow.mustSubmit({signals(done, 0)});
  quick.breakRegion();
  quick.mustSubmit({awaits(done, 0), signals(done, 1)});
  const uint64_t job = after.mustSubmit({awaits(done, 1)});
  EXPECT_EQ(driver.wait(after.context(), job).fault_code, kFaultDependencyFailed);
}

TEST(FenceTest, CancelledJobEndsBeforeItsFence) {
  Driver driver;
  const uint32_t done = driver.makeSyncobj();
  CopyJob slow(driver, kSlowBytes, kSlowRepetitions), quick(driver, kBytes);
  uint64_t last = 0;
  for (int i = 0; i < 60; ++i)
    last = slow.mustSubmit({signals(done, 0)});
  const uint64_t job = quick.mustSubmit({awaits(done, 0)});
  avocet_cancel cancel{quick.context(), 0, job};
  EXPECT_EQ(driver.call(AVOCET_IOCTL_CANCEL, &cancel), 0);
  EXPECT_EQ(driver.wait(quick.context(), job).fault_code, kFaultCancelled);
  EXPECT_TRUE(driver.isPending(slow.context(), last));
  EXPECT_EQ(quick.run().state, AVOCET_JOB_COMPLETE);
  EXPECT_TRUE(driver.isPending(slow.context(), last)) << "the queue is not blocked";
}

TEST(FenceTest, RefusesWrongSynchronizationObjects) {
  Driver driver;
  const uint32_t object = driver.makeSyncobj();
  CopyJob job(driver, kBytes);
  const std::pair<avocet_syncobj, int> cases[] = {
      {awaits(object, 0), EINVAL}, // nothing was submitted
      {awaits(object, 9), EINVAL},
      {awaits(object + 100, 0), ENOENT},
      {signals(object + 100, 0), ENOENT},
      {{object, 0, 0}, EINVAL},
      {{object, AVOCET_SYNCOBJ_WAIT | AVOCET_SYNCOBJ_SIGNAL, 0}, EINVAL},
      {{object, 4, 0}, EINVAL},
  };
  for (const auto &[syncobj, error] : cases) {
    avocet_submit call = job.submission();
    EXPECT_EQ(job.submit(call, {syncobj}), error) << syncobj.handle << " " << syncobj.flags;
  }
  avocet_submit call = job.submission();
  EXPECT_EQ(job.submit(call, std::vector<avocet_syncobj>(33, signals(object, 1))), EINVAL);
  call = job.submission();
  call.pad2 = 1;
  EXPECT_EQ(job.submit(call), EINVAL);
}

} // namespace
} // namespace avocet::kmod
