//===- WatchdogTest.cpp - The limits of one section -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"
#include "TestDriver.h"

#include "avocet/firmware_iface/Version.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

constexpr uint64_t kIdleCycles = 20'000; ///< limit of the device
constexpr uint32_t kLoads = 100;         ///< about 2,000 cycles each: far above that limit
constexpr uint32_t kLoadBytes = 4096;

class WatchdogTest : public testing::TestWithParam<bool> {
protected:
  WatchdogTest() { driver_.map(data_); }

  static DeviceOptions options() {
    DeviceOptions options;
    options.timing = GetParam();
    options.watchdogCycles = kIdleCycles;
    return options;
  }

  /// Loads with a yield before each `perYield` of them; 0: without yields.
  JobDescriptor loads(uint32_t perYield) {
    std::vector<CommandBody> commands;
    for (uint32_t i = 0; i < kLoads; ++i) {
      if (perYield != 0 && i % perYield == 0)
        commands.push_back(YieldCommand{i / perYield + 1, {}});
      commands.push_back(load(1, 0, 0, kLoadBytes));
    }
    return driver_.makeJob({stream(kDma, commands)}, {{data_.address(), data_.size()}});
  }
  FaultCode faultOf(const JobDescriptor &job) { return static_cast<FaultCode>(driver_.run(job).faultCode); }

  TestDriver driver_{"e256", options()};
  Pages data_{kLoadBytes};
};

TEST_P(WatchdogTest, DeviceLimitCountsCyclesBetweenYields) {
  EXPECT_EQ(faultOf(loads(4)), FaultCode::None);
  EXPECT_EQ(faultOf(loads(0)), FaultCode::Watchdog);
  EXPECT_EQ(faultOf(loads(kLoads / 2)), FaultCode::Watchdog) << "too few yields";
}

TEST_P(WatchdogTest, LimitOfJobReplacesThatOfDevice) {
  JobDescriptor slow = loads(0);
  slow.watchdogCycles = 1'000'000;
  EXPECT_EQ(faultOf(slow), FaultCode::None);
  slow.watchdogCycles = UINT64_MAX;
  EXPECT_EQ(faultOf(slow), FaultCode::None);
  JobDescriptor yielding = loads(4);
  yielding.watchdogCycles = kIdleCycles;
  EXPECT_EQ(faultOf(yielding), FaultCode::Watchdog);
}

TEST_P(WatchdogTest, HelloReportsDeviceLimit) {
  const Mailbox reply =
      driver_.send(MessageKind::Hello, HelloRequest{kInterfaceVersion, kInterfaceVersion, kEncodingVersion, 0});
  HelloReply hello;
  std::memcpy(&hello, reply.body, sizeof(hello));
  EXPECT_EQ(hello.watchdogCycles, kIdleCycles);
}

INSTANTIATE_TEST_SUITE_P(Modes, WatchdogTest, testing::Bool(),
                         [](const auto &info) { return info.param ? "Timed" : "Untimed"; });

} // namespace
} // namespace avocet::sim::test
