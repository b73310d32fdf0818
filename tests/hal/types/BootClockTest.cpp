//===- BootClockTest.cpp - The clock of deadlines ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Types.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

TimePoint read(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

bool isBootTime() {
  const TimePoint before = read(CLOCK_BOOTTIME), between = BootClock::now(), after = read(CLOCK_BOOTTIME);
  return before <= between && between <= after;
}

int exitCodeOf(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// In a process whose machine has been suspended for an hour, as far as the process can see. A user who may make no
/// namespaces sees no suspension, and only the equality is checked.
[[noreturn]] void checkAfterSuspension() {
  constexpr int kSuspended = 3600;
  const bool isAllowed = ::unshare(CLONE_NEWUSER | CLONE_NEWTIME) == 0;
  if (isAllowed)
    std::ofstream("/proc/self/timens_offsets") << "boottime " << kSuspended << " 0\n";
  const pid_t child = ::fork(); // the first process in the namespace
  if (child == 0)
    ::_exit(isBootTime() && (!isAllowed || read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC) > std::chrono::minutes(50))
                ? 0
                : 1);
  ::_exit(exitCodeOf(child));
}

TEST(BootClockTest, ReadsClockThatCountsSuspension) {
  EXPECT_TRUE(isBootTime());
  const pid_t child = ::fork();
  if (child == 0)
    checkAfterSuspension();
  EXPECT_EQ(exitCodeOf(child), 0);
}

} // namespace
} // namespace avocet::hal
