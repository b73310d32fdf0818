//===- PowerControlTest.cpp - Performance and power states of a device ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"

#include "avocet/runtime/PowerControl.h"

namespace avocet::runtime::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// e256: low, sustained, full; gated after 20 us, retention after 1 ms, off after 100 ms.
constexpr uint32_t kLow = 0, kSustained = 1, kFull = 2;
constexpr uint32_t kGated = 0, kRetention = 1, kOff = 2;

class PowerControlTest : public testing::Test {
protected:
  PowerControlTest() {
    control_.setClock([this] { return now_; });
  }

  static JobOutcome outcomeOf(uint64_t cycles, uint64_t picojoules) {
    JobOutcome outcome;
    outcome.state = firmware::JobState::Complete;
    outcome.counters.cycles = cycles;
    outcome.counters.energyPicojoules = picojoules;
    return outcome;
  }
  /// One job; returns the time that it waits for the device to wake.
  nanoseconds runJob(std::optional<uint32_t> level = {}) {
    const PowerControl::Admission admission = control_.admit(level);
    lastLevel_ = admission.level;
    control_.leave(admission.level, outcomeOf(1'000, 0));
    return admission.wake;
  }

  nanoseconds now_ = 5s;
  PowerControl control_{firmware::Target::load("e256").value(), true};
  uint32_t lastLevel_ = 99;
};

TEST_F(PowerControlTest, IdleDeviceDescendsStepByStep) {
  runJob();
  EXPECT_EQ(control_.state().idleState, std::nullopt);
  for (auto [time, state] : {std::pair{20us, kGated}, {980us, kRetention}, {99'000us, kOff}}) {
    now_ += time - 1ns;
    EXPECT_NE(control_.state().idleState, state);
    now_ += 1ns;
    EXPECT_EQ(control_.state().idleState, state);
  }
}

TEST_F(PowerControlTest, WakeTimeIsThatOfIdleState) {
  runJob();
  now_ += 10us;
  EXPECT_EQ(runJob(), 0ns);
  now_ += 30us;
  EXPECT_EQ(control_.wakeTime(), 1us);
  EXPECT_EQ(runJob(), 1us);
  now_ += 2ms;
  EXPECT_EQ(runJob(), 50us);
  now_ += 1s;
  EXPECT_EQ(runJob(), 1ms);
  EXPECT_EQ(runJob(), 0ns);
  const PowerTotals totals = control_.totals();
  EXPECT_EQ(totals.wakeUps, 3u);
  EXPECT_DOUBLE_EQ(totals.wakePicojoules, (20 + 400 + 12'000) * 1e3);
}

/// Power times time of each state that the device passed through.
TEST_F(PowerControlTest, IdleEnergyAddsUpStates) {
  runJob(kLow);
  now_ += 200ms;
  const PowerTotals totals = control_.totals();
  EXPECT_DOUBLE_EQ(totals.awakeNanoseconds, 20e3);
  EXPECT_DOUBLE_EQ(totals.idleStateNanoseconds[kGated], 980e3);
  EXPECT_DOUBLE_EQ(totals.idleStateNanoseconds[kRetention], 99e6);
  EXPECT_DOUBLE_EQ(totals.idleStateNanoseconds[kOff], 100e6);
  EXPECT_NEAR(totals.idlePicojoules, 1.6 * 20e3 + 1.2 * 980e3 + 0.2 * 99e6 + 0.02 * 100e6, 1);
}

TEST_F(PowerControlTest, ReadingTotalsChangesNothing) {
  runJob();
  for (int i = 0; i < 1000; ++i) {
    now_ += 200us;
    (void)control_.totals();
  }
  const double first = control_.totals().idlePicojoules;
  EXPECT_EQ(control_.totals().idlePicojoules, first);
  EXPECT_NEAR(first, 4.0 * 20e3 + 1.2 * 980e3 + 0.2 * 99e6 + 0.02 * 100e6, 1);
  EXPECT_EQ(runJob(), 1ms);
}

TEST_F(PowerControlTest, HoldKeepsDeviceAwakeAtItsLevel) {
  runJob(kLow);
  {
    const PowerControl::Hold hold = control_.hold(kSustained);
    now_ += 1s;
    EXPECT_EQ(control_.state().idleState, std::nullopt);
    EXPECT_EQ(control_.state().clockLevel, kSustained);
    EXPECT_EQ(control_.state().holds, 1u);
    EXPECT_EQ(runJob(kLow), 0ns);
    EXPECT_EQ(lastLevel_, kSustained);
    runJob(kFull);
    EXPECT_EQ(lastLevel_, kFull);
    now_ += 1s;
    EXPECT_EQ(control_.totals().wakeUps, 0u);
  }
  EXPECT_EQ(control_.state().holds, 0u);
  EXPECT_EQ(control_.state().idleState, std::nullopt) << "idle only since the end of the hold";
  now_ += 1s;
  EXPECT_EQ(runJob(kLow), 1ms);
  EXPECT_EQ(lastLevel_, kLow);
}

/// A second awake at "sustained" takes its static power.
TEST_F(PowerControlTest, HoldTakesStaticPower) {
  const PowerControl::Hold hold = control_.hold(kSustained);
  now_ += 1s;
  const PowerTotals totals = control_.totals();
  EXPECT_DOUBLE_EQ(totals.idlePicojoules, 2.9e9);
  EXPECT_DOUBLE_EQ(totals.awakeNanoseconds, 1e9);
}

TEST_F(PowerControlTest, HoldWakesSleepingDevice) {
  now_ += 1s;
  const PowerControl::Hold hold = control_.hold(kLow);
  EXPECT_EQ(control_.totals().wakeUps, 1u);
  EXPECT_EQ(runJob(), 0ns);
}

TEST_F(PowerControlTest, FastestOfSeveralHoldsCounts) {
  const PowerControl::Hold slow = control_.hold(kLow);
  {
    const PowerControl::Hold fast = control_.hold(kFull);
    runJob(kLow);
    EXPECT_EQ(lastLevel_, kFull);
  }
  EXPECT_EQ(control_.state().clockLevel, kLow);
  runJob(kLow);
  EXPECT_EQ(lastLevel_, kLow);
}

TEST_F(PowerControlTest, BusyDeviceNeverSleeps) {
  const PowerControl::Admission running = control_.admit(kLow);
  now_ += 10s;
  EXPECT_EQ(control_.state().idleState, std::nullopt);
  EXPECT_EQ(runJob(), 0ns);
  EXPECT_EQ(control_.totals().awakeNanoseconds, 0);
  control_.leave(running.level, outcomeOf(2'000, 0));
  now_ += 1s;
  EXPECT_EQ(control_.state().idleState, kOff);
}

TEST_F(PowerControlTest, JobsAddTimeAndEnergyOfTheirLevel) {
  control_.leave(control_.admit(kLow).level, outcomeOf(200'000, 1'000'000));
  control_.leave(control_.admit(std::nullopt).level, outcomeOf(200'000, 1'000'000));
  const PowerTotals totals = control_.totals();
  EXPECT_EQ(totals.jobs, 2u);
  EXPECT_EQ(totals.levelNanoseconds, (std::vector<double>{1e6, 0, 4e5}));               // at 200 and 500 MHz
  EXPECT_DOUBLE_EQ(totals.jobEnergy.dynamicPicojoules, 1'000'000 * 0.5625 + 1'000'000); // (600 mV / 800 mV)^2
  EXPECT_DOUBLE_EQ(totals.jobEnergy.staticPicojoules, 1.6 * 1e6 + 4.0 * 4e5);
}

TEST_F(PowerControlTest, FailedSubmissionIsNoJob) {
  control_.leave(control_.admit(kLow).level, JobOutcome{});
  EXPECT_EQ(control_.totals().jobs, 0u);
}

TEST(PowerControlDefaultTest, WithoutClockDeviceStaysAwake) {
  PowerControl control(firmware::Target::load("e256").value(), true);
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(control.admit(std::nullopt).wake, 0ns);
  EXPECT_EQ(control.totals().idlePicojoules, 0);
}

TEST(PowerControlDefaultTest, DeviceWithoutLevelsAddsNothing) {
  PowerControl control(firmware::Target::load("e256").value(), false);
  nanoseconds now = 0s;
  control.setClock([&] { return now; });
  now = 10s;
  const PowerControl::Hold hold = control.hold(kLow);
  const PowerControl::Admission admission = control.admit(kLow);
  EXPECT_EQ(admission.level, kFull);
  EXPECT_EQ(admission.wake, 0ns);
  control.leave(admission.level, JobOutcome{.state = firmware::JobState::Complete});
  EXPECT_EQ(control.totals().jobs, 0u);
  EXPECT_EQ(control.totals().picojoules(), 0);
}

/// Through queue, back end and simulated device.
class QueueLevelTest : public testing::Test {
protected:
  JobOutcome run(CopyJob &job, const SubmitOptions &options) {
    EXPECT_TRUE(client_.queue->run(*job.job, options).isOk());
    return job.job->fence()->outcome();
  }

  std::shared_ptr<Device> device_ = openTestDevice();
  CopyClient client_{device_};
};

TEST_F(QueueLevelTest, JobRunsAtAskedLevel) {
  ASSERT_TRUE(device_->properties().hasClockLevels);
  CopyJob job = client_.makeJob();
  const JobOutcome plain = run(job, {});
  SubmitOptions options;
  options.clockLevel = kLow;
  const JobOutcome slow = run(job, options);
  EXPECT_EQ(slow.counters.cycles, plain.counters.cycles);
  EXPECT_EQ(plain.endCycle - plain.startCycle, plain.counters.cycles);
  EXPECT_EQ(slow.endCycle - slow.startCycle, defaultCyclesOf(device_->target().power(), slow.counters.cycles, kLow));
  EXPECT_GT(device_->power().totals().levelNanoseconds[kLow], 0);
  EXPECT_EQ(device_->power().totals().jobs, 2u);
}

TEST_F(QueueLevelTest, HoldRaisesLevelOfJobs) {
  CopyJob job = client_.makeJob();
  const PowerControl::Hold hold = device_->power().hold(kFull);
  SubmitOptions options;
  options.clockLevel = kLow;
  const JobOutcome outcome = run(job, options);
  EXPECT_EQ(outcome.endCycle - outcome.startCycle, outcome.counters.cycles);
}

TEST_F(QueueLevelTest, UnknownLevelIsRefused) {
  CopyJob job = client_.makeJob();
  SubmitOptions options;
  options.clockLevel = 3;
  EXPECT_EQ(client_.queue->run(*job.job, options).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(job.job->fence()->isSignaled());
  EXPECT_EQ(device_->power().totals().jobs, 0u);
  EXPECT_TRUE(client_.queue->run(*job.job).isOk());
}

TEST_F(QueueLevelTest, WakeUpShortensDeadline) {
  nanoseconds now = 0s;
  device_->power().setClock([&] { return now; });
  CopyJob endless = client_.makeEndlessJob();
  auto cyclesUntil = [&](nanoseconds deadline) {
    SubmitOptions options;
    options.deadline = deadline;
    EXPECT_EQ(client_.queue->run(*endless.job, options).code(), StatusCode::DeadlineExceeded);
    return endless.job->fence()->outcome().counters.cycles;
  };
  const uint64_t awake = cyclesUntil(4ms);
  now += 1s; // off, and a millisecond to wake
  const uint64_t asleep = cyclesUntil(4ms);
  EXPECT_NEAR(static_cast<double>(awake - asleep), 1e-3 * 500e6, 50e3);
}

TEST_F(QueueLevelTest, BacklogIsTimeAtLevel) {
  CopyJob endless = client_.makeEndlessJob(1'000);
  SubmitOptions options;
  options.clockLevel = kLow;
  ASSERT_TRUE(client_.queue->submit(*endless.job, options).isOk());
  EXPECT_EQ(device_->backlogCycles(0), 2'500u);
  EXPECT_TRUE(endless.job->cancel().isOk());
  endless.job->fence()->wait();
  EXPECT_EQ(device_->backlogCycles(0), 0u);
}

TEST(NullLevelTest, NullDeviceHasNoLevels) {
  const auto device = openTestDevice("null");
  EXPECT_FALSE(device->properties().hasClockLevels);
  CopyClient client(device);
  CopyJob job = client.makeJob();
  SubmitOptions options;
  options.clockLevel = kLow;
  EXPECT_TRUE(client.queue->run(*job.job, options).isOk()) << "the level is ignored";
}

} // namespace
} // namespace avocet::runtime::test
