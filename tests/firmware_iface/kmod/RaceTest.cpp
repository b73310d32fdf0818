//===- RaceTest.cpp - Calls that meet in the kernel driver ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short here; planted/README.md makes the gaps between two steps of the driver wide.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <atomic>
#include <thread>

namespace avocet::kmod {
namespace {

TEST(RaceTest, ContextsVanishDuringResets) {
  Driver driver;
  std::atomic<bool> isOver = false;
  std::thread resets([&] {
    while (!isOver) {
      avocet_reset args{};
      EXPECT_EQ(driver.call(AVOCET_IOCTL_RESET, &args), 0);
    }
  });
  for (int round = 0; round < 20; ++round) {
    avocet_context_destroy destroy{driver.makeContext(), 0};
    EXPECT_EQ(driver.call(AVOCET_IOCTL_CONTEXT_DESTROY, &destroy), 0);
  }
  isOver = true;
  resets.join();
  EXPECT_EQ(CopyJob(driver, AVOCET_PAGE_BYTES).run().state, AVOCET_JOB_COMPLETE);
}

} // namespace
} // namespace avocet::kmod
