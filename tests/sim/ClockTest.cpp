//===- ClockTest.cpp - The device's clock while a job runs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestClient.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

uint64_t cycleCount(Device &device) {
  const uint64_t low = device.readRegister(static_cast<uint32_t>(Register::CycleCountLow));
  return uint64_t{device.readRegister(static_cast<uint32_t>(Register::CycleCountHigh))} << 32 | low;
}

/// Drivers add time limits to the clock: it must not stay at the end of the previous job.
TEST(ClockTest, AdvancesWhileJobRuns) {
  TestDriver driver("e256", DeviceOptions{true, true, false, false});
  TestClient client(driver, 10, 1);
  std::vector<CommandBody> commands(100, load(1, 0, 0, 64));
  const JobDescriptor job = client.makeJob({stream(kDma, std::move(commands))});
  client.submit(job);
  std::vector<std::pair<uint64_t, uint64_t>> readings; // requested cycle, clock reading
  for (uint64_t cycle : {500u, 1000u, 1500u})
    driver.device().callAt(cycle, [&, cycle] { readings.emplace_back(cycle, cycleCount(driver.device())); });
  driver.device().run();
  const CompletionRecord record = client.recordOf(job);
  ASSERT_GT(record.endCycle, 1600u);
  ASSERT_EQ(readings.size(), 3u);
  for (auto [asked, seen] : readings) {
    EXPECT_GE(seen, asked);
    EXPECT_LT(seen, record.endCycle);
  }
  EXPECT_EQ(cycleCount(driver.device()), record.endCycle);
}

} // namespace
} // namespace avocet::sim::test
