//===- PowerTest.cpp - Suspended devices ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <algorithm>

namespace avocet::kmod {
namespace {

const std::string kPower = "/sys/class/accel/accel0/device/power/";

bool isSuspended() { return readText(kPower + "runtime_status") == "suspended\n"; }

class PowerTest : public testing::Test {
protected:
  void SetUp() override { writeText(kPower + "autosuspend_delay_ms", "0"); }
  void TearDown() override { writeText(kPower + "autosuspend_delay_ms", "1000"); }
};

TEST_F(PowerTest, IdleDeviceSuspendsAndContextsSurvive) {
  Driver driver;
  CopyJob job(driver, 3 * AVOCET_PAGE_BYTES), other(driver, AVOCET_PAGE_BYTES);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(eventually(isSuspended));
    std::fill(job.output().begin(), job.output().end(), uint8_t{0});
    ASSERT_EQ(job.run().state, AVOCET_JOB_COMPLETE);
    EXPECT_TRUE(std::ranges::equal(job.input(), job.output()));
    ASSERT_EQ(other.run().state, AVOCET_JOB_COMPLETE);
  }
}

TEST_F(PowerTest, SuspendedDeviceForgetsMappingsAndContexts) {
  Driver driver;
  CopyJob job(driver, AVOCET_PAGE_BYTES), other(driver, AVOCET_PAGE_BYTES);
  ASSERT_TRUE(eventually(isSuspended));
  avocet_unmap unmap{job.context(), 0, job.outputAddress()};
  EXPECT_EQ(driver.call(AVOCET_IOCTL_UNMAP, &unmap), 0);
  avocet_context_destroy destroy{other.context(), 0};
  EXPECT_EQ(driver.call(AVOCET_IOCTL_CONTEXT_DESTROY, &destroy), 0);
  EXPECT_TRUE(isSuspended()) << "neither call needs the device";
  EXPECT_EQ(job.run().state, AVOCET_JOB_FAULTED) << "its output is gone";
  EXPECT_EQ(CopyJob(driver, AVOCET_PAGE_BYTES).run().state, AVOCET_JOB_COMPLETE);
}

TEST_F(PowerTest, DeviceWithJobsStaysActive) {
  Driver driver;
  CopyJob slow(driver, kSlowBytes, kSlowRepetitions);
  uint64_t last = 0;
  for (int i = 0; i < 3; ++i)
    last = slow.mustSubmit();
  do
    ASSERT_FALSE(isSuspended() && driver.isPending(slow.context(), last));
  while (driver.isPending(slow.context(), last));
  EXPECT_EQ(driver.wait(slow.context(), last).state, AVOCET_JOB_COMPLETE);
  EXPECT_TRUE(eventually(isSuspended));
}

TEST_F(PowerTest, ContextsSurviveASleepOfTheMachine) {
  Driver driver;
  CopyJob job(driver, AVOCET_PAGE_BYTES);
  ASSERT_EQ(job.run().state, AVOCET_JOB_COMPLETE);
  writeText("/sys/power/pm_test", "devices"); // suspends the devices, and resumes them after five seconds
  writeText("/sys/power/state", "freeze");
  writeText("/sys/power/pm_test", "none");
  ASSERT_EQ(job.run().state, AVOCET_JOB_COMPLETE);
}

} // namespace
} // namespace avocet::kmod
