//===- WatchdogTest.cpp - The limits that a queue gives its jobs -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"
#include "ForwardingBackend.h"

#include <gtest/gtest.h>

namespace avocet::runtime::test {
namespace {

class LimitObserver final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  Result<JobHandle> submit(const Submission &submission) override {
    lastLimit = submission.watchdogCycles;
    return ForwardingBackend::submit(submission);
  }
  uint64_t lastLimit = 0;
};

TEST(WatchdogTest, LimitFollowsPrediction) {
  BackendOptions options;
  options.target = testTarget();
  registerSimBackend();
  auto owned = std::make_unique<LimitObserver>(openBackend("sim", options).value());
  const LimitObserver &observer = *owned;
  CopyClient client(Device::adopt(std::move(owned)).value());
  const auto limitFor = [&](uint64_t predictedCycles) {
    cache::ModelDescription model = copyModel(*testTarget(), kCopyBytes);
    model.predictedCycles = predictedCycles;
    CopyJob job = client.makeJobOf(model);
    EXPECT_TRUE(client.queue->run(*job.job).isOk());
    return observer.lastLimit;
  };
  EXPECT_EQ(limitFor(0), firmware::kDefaultWatchdog) << "without a prediction the device watches the yields";
  EXPECT_EQ(limitFor(1000), uint64_t{1} << 30);
  EXPECT_EQ(limitFor(uint64_t{1} << 31), uint64_t{1} << 34);
  EXPECT_EQ(limitFor(UINT64_MAX), firmware::kMaxWatchdogCycles);
}

} // namespace
} // namespace avocet::runtime::test
