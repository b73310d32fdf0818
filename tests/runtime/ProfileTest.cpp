//===- ProfileTest.cpp - Tests of job profiles ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"

#include <atomic>
#include <utility>

namespace avocet::runtime::test {
namespace {

constexpr uint32_t kSteps = 20;

/// The copy, repeated kSteps times. Between two copies it has a yield point that declares its bytes of SRAM live.
cache::ModelDescription yieldingModel() {
  using namespace firmware;
  std::vector<Command> commands;
  for (uint32_t step = 0; step < kSteps; ++step) {
    commands.push_back(copyCommand({1, 0}, {kSramRegion, 0}, kCopyBytes));
    commands.push_back({kNoLayer, YieldCommand{step + 1, {{0, kCopyBytes}}}});
    commands.push_back(copyCommand({kSramRegion, 0}, {2, 0}, kCopyBytes));
  }
  commands.push_back({kNoLayer, EndCommand{}});
  cache::ModelDescription model = copyModel(*testTarget(), kCopyBytes);
  model.streams = {{{EngineKind::Dma, 0}, encodeStream(commands)}};
  return model;
}

/// Jobs of two priorities that are submitted at given device cycles.
class ProfileTest : public testing::Test {
protected:
  static constexpr uint32_t kLow = 1, kHigh = 2;

  void SetUp() override {
    registerSimBackend();
    BackendOptions options;
    options.target = testTarget();
    options.profileSink = [this](const firmware::JobProfile &profile) { jobEnded(profile); };
    device_ = Device::open("sim", options).value();
  }

  /// Runs on the device's thread.
  void jobEnded(const firmware::JobProfile &profile) {
    profiles_.push_back(profile);
    if (atStart_)
      std::exchange(atStart_, nullptr)(profile.record.endCycle + 1);
    ++numEnded_;
    numEnded_.notify_all();
  }
  void submitAt(uint64_t cycle, CopyClient &client, CopyJob &job) {
    auto submit = [&] { EXPECT_TRUE(client.queue->submit(*job.job).isOk()); };
    EXPECT_TRUE(callAtCycle(device_->backend(), cycle, submit).isOk());
  }
  /// Device cycles are known only while the device runs. A first job therefore runs, and `plan` is called with the next
  /// cycle; it submits two jobs. Returns when both have ended.
  void runBoth(CopyClient &client, std::function<void(uint64_t)> plan) {
    CopyJob opener = client.makeJob();
    opener.fill(1);
    atStart_ = std::move(plan);
    EXPECT_TRUE(client.queue->run(*opener.job).isOk());
    for (uint32_t seen = numEnded_; seen < 3; seen = numEnded_)
      numEnded_.wait(seen);
  }
  const firmware::JobProfile &profileOf(const CopyJob &job) const {
    EXPECT_TRUE(job.job->fence()->waitFor(kPatience).isOk());
    const uint64_t end = job.job->fence()->outcome().endCycle;
    return *std::ranges::find(profiles_, end,
                              [](const firmware::JobProfile &profile) { return profile.record.endCycle; });
  }

  std::vector<firmware::JobProfile> profiles_; ///< written by the device's thread while it runs
  std::atomic<uint32_t> numEnded_{0};
  std::function<void(uint64_t)> atStart_;
  std::shared_ptr<Device> device_;
};

TEST_F(ProfileTest, ReportsCostOfPreemption) {
  constexpr uint64_t kOffset = 1000; ///< in the middle of the first job
  CopyClient low(device_, kLow, 0), high(device_, kHigh, 3);
  CopyJob slow = low.makeJobOf(yieldingModel()), urgent = high.makeJob();
  slow.fill(5);
  urgent.fill(6);
  runBoth(high, [&](uint64_t cycle) {
    submitAt(cycle, low, slow);
    submitAt(cycle + kOffset, high, urgent);
  });
  const firmware::JobProfile &stopped = profileOf(slow), &first = profileOf(urgent);
  EXPECT_TRUE(slow.hasCopied(5) && urgent.hasCopied(6));
  EXPECT_EQ(stopped.preemption.preemptions, 1u);
  EXPECT_EQ(stopped.preemption.liveBytes, kCopyBytes);
  EXPECT_EQ(stopped.preemption.evacuatedBytes, kCopyBytes);
  EXPECT_GE(stopped.preemption.suspendedCycles, first.record.endCycle - first.record.startCycle);
  EXPECT_EQ(stopped.record.endCycle - stopped.record.startCycle,
            stopped.record.counters.cycles + stopped.preemption.suspendedCycles);
  EXPECT_EQ(stopped.waitCycles(), 0u);
  EXPECT_EQ(first.preemption.preemptions, 0u);
  EXPECT_EQ(first.preemption.suspendedCycles, 0u);
  EXPECT_GT(first.waitCycles(), 0u) << "until the other one's next yield";
}

TEST_F(ProfileTest, ReportsCyclesOfWaiting) {
  CopyClient client(device_, kLow, 0), other(device_, kHigh, 0);
  CopyJob first = client.makeJob(), second = other.makeJob();
  first.fill(5);
  second.fill(6);
  runBoth(client, [&](uint64_t cycle) {
    submitAt(cycle, client, first);
    submitAt(cycle, other, second);
  });
  const uint64_t waits[] = {profileOf(first).waitCycles(), profileOf(second).waitCycles()};
  EXPECT_EQ(std::min(waits[0], waits[1]), 0u);
  EXPECT_GE(std::max(waits[0], waits[1]), profileOf(first).record.counters.cycles);
}

} // namespace
} // namespace avocet::runtime::test
