//===- PowerTest.cpp - What preferences, bursts and deadlines cost --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "FakeClock.h"

namespace avocet::hal {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using enum ExecutionPreference;

/// Time of the host stands still, so that all figures are those of the simulated device.
class PowerTest : public DeviceFixture {
protected:
  static constexpr uint32_t kRows = 64, kBytes = kRows * kRows * 4;

  void SetUp() override {
    DriverOptions options;
    options.clock = clock_.function();
    open(options);
  }

  std::shared_ptr<IPreparedModel> prepareFor(ExecutionPreference preference, Priority priority = Priority::Medium) {
    PrepareOptions options;
    options.preference = preference;
    options.priority = priority;
    return prepare(addModel({kRows, kRows}), options);
  }

  Request request() const { return requestOf({kBytes, kBytes}, {kBytes}, inputs_, outputs_); }
  static ExecutionOptions measured() {
    ExecutionOptions options;
    options.measure = MeasureTiming::Yes;
    return options;
  }
  ExecutionOptions within(Duration time) const {
    ExecutionOptions options = measured();
    options.deadline = clock_.now() + time;
    return options;
  }

  static Duration timeOf(const ExecutionOutcome &outcome) {
    EXPECT_TRUE(outcome.isOk()) << outcome.message;
    return outcome.timing.timeOnDevice.value_or(Duration(0));
  }
  Duration run(IPreparedModel &model) { return timeOf(model.execute(request(), measured())); }
  Duration run(IBurst &burst) { return timeOf(burst.execute(request(), {1, 2}, measured())); }

  DevicePower power() const { return driver_->counters().power; }
  /// Of executions only.
  uint64_t runEnergy() const { return power().dynamicPicojoules + power().staticPicojoules; }

  struct Cost {
    Duration time;
    uint64_t picojoules;
    bool operator==(const Cost &) const = default;
  };
  Cost costOf(IPreparedModel &model) {
    const uint64_t before = runEnergy();
    const Duration time = run(model);
    return {time, runEnergy() - before};
  }

  FakeClock clock_;
  TestPool inputs_{2 * kBytes}, outputs_{kBytes};
};

TEST_F(PowerTest, PreferencesTradeTimeForEnergy) {
  std::vector<Cost> costs;
  for (ExecutionPreference preference : {LowPower, SustainedSpeed, FastSingleAnswer}) {
    auto model = prepareFor(preference);
    ASSERT_NE(model, nullptr);
    costs.push_back(costOf(*model));
    EXPECT_NEAR(static_cast<double>(costOf(*model).picojoules), static_cast<double>(costs.back().picojoules), 2)
        << "rounding of the sums";
    EXPECT_EQ(costOf(*model).time, costs.back().time);
  }
  const auto &[low, sustained, fast] = std::tie(costs[0], costs[1], costs[2]);
  EXPECT_NEAR(static_cast<double>(low.time.count()), 2.5 * static_cast<double>(fast.time.count()), 10);
  EXPECT_NEAR(static_cast<double>(sustained.time.count()), 1.25 * static_cast<double>(fast.time.count()), 10);
  EXPECT_LT(low.picojoules, sustained.picojoules);
  EXPECT_LT(sustained.picojoules, fast.picojoules);
  EXPECT_GT(low.picojoules, 0u);
}

TEST_F(PowerTest, LevelsOfPreferencesAreReported) {
  for (auto [preference, level] :
       {std::pair{LowPower, "low"}, {SustainedSpeed, "sustained"}, {FastSingleAnswer, "full"}}) {
    run(*prepareFor(preference));
    EXPECT_EQ(power().clockLevel, level);
  }
  run(*prepareFor(FastSingleAnswer, Priority::Low));
  EXPECT_EQ(power().clockLevel, "sustained");
  EXPECT_EQ(power().executions, 4u);
  EXPECT_EQ(power().idleState, "");
  clock_.advance(1s);
  EXPECT_EQ(power().idleState, "off");
}

TEST_F(PowerTest, BurstKeepsDeviceAwake) {
  auto model = prepareFor(LowPower);
  run(*model);
  const uint64_t before = power().wakeUps;
  clock_.advance(1s);
  run(*model);
  EXPECT_EQ(power().wakeUps, before + 1) << "without a burst";
  {
    auto burst = model->configureBurst().value();
    for (int i = 0; i < 3; ++i) {
      run(*burst);
      clock_.advance(1s);
      EXPECT_EQ(power().idleState, "");
      EXPECT_EQ(power().bursts, 1u);
    }
    EXPECT_EQ(power().wakeUps, before + 1);
    EXPECT_GE(power().idlePicojoules, 3u * 1'600'000'000u) << "1.6 mW for three seconds";
  }
  EXPECT_EQ(power().bursts, 0u);
  clock_.advance(1s);
  EXPECT_EQ(power().idleState, "off");
}

TEST_F(PowerTest, BurstKeepsItsLevelForOthers) {
  auto fast = prepareFor(FastSingleAnswer), low = prepareFor(LowPower);
  const Duration fastTime = run(*fast), lowTime = run(*low);
  EXPECT_GT(lowTime, fastTime);
  {
    auto burst = fast->configureBurst().value();
    EXPECT_EQ(run(*low), fastTime);
    EXPECT_EQ(run(*burst), fastTime);
  }
  {
    auto burst = low->configureBurst().value();
    EXPECT_EQ(run(*fast), fastTime);
    EXPECT_EQ(run(*burst), lowTime);
    EXPECT_EQ(power().clockLevel, "low") << "back at the level of the burst";
  }
  EXPECT_EQ(run(*low), lowTime);
}

/// After the first run, by the measured cycles.
TEST_F(PowerTest, DeadlineRaisesLevel) {
  auto low = prepareFor(LowPower);
  const Duration lowTime = run(*low), fastTime = run(*prepareFor(FastSingleAnswer));
  auto timeWithin = [&](Duration limit) { return timeOf(low->execute(request(), within(limit))); };
  EXPECT_EQ(timeWithin(1h), lowTime);
  EXPECT_EQ(timeWithin(lowTime + 1us), lowTime);
  EXPECT_LT(timeWithin(lowTime - 1us), lowTime);
  EXPECT_EQ(power().clockLevel, "sustained");
  EXPECT_EQ(timeWithin(fastTime + 1us), fastTime);
  EXPECT_EQ(power().clockLevel, "full");
  EXPECT_EQ(run(*low), lowTime) << "only for the execution with the deadline";
}

/// Before the first run, by the compiler's prediction.
TEST_F(PowerTest, DeadlineOfFirstRunRaisesLevel) {
  const Duration lowTime = run(*prepareFor(LowPower));
  EXPECT_LT(timeOf(prepareFor(LowPower)->execute(request(), within(lowTime * 3 / 4))), lowTime);
  EXPECT_EQ(timeOf(prepareFor(LowPower)->execute(request(), within(2 * lowTime))), lowTime);
}

TEST_F(PowerTest, WakeUpTimeCountsForDeadline) {
  auto low = prepareFor(LowPower);
  const Duration lowTime = run(*low);
  EXPECT_EQ(timeOf(low->execute(request(), within(lowTime + 500us))), lowTime);
  clock_.advance(1s); // off: a millisecond to wake
  EXPECT_EQ(low->execute(request(), within(500us)).status, ErrorStatus::MissedDeadlineTransient);
  EXPECT_LT(timeOf(low->execute(request(), within(lowTime + 1ms - 1us))), lowTime);
}

TEST_F(PowerTest, FencedExecutionHasLevelOfPreference) {
  const Duration lowTime = run(*prepareFor(LowPower));
  auto model = prepareFor(LowPower);
  FencedOptions options;
  options.execution.measure = MeasureTiming::Yes;
  auto launch = model->executeFenced(request(), {}, options);
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  launch->fence.wait(std::nullopt);
  EXPECT_EQ(power().clockLevel, "low");
  EXPECT_EQ(power().clockLevels.at(0).nanoseconds, 2 * static_cast<uint64_t>(lowTime.count()));
}

TEST_F(PowerTest, DeviceThatCountsNoCyclesHasNoLevels) {
  DriverOptions options;
  options.timing = false;
  open(options);
  auto model = prepareFor(LowPower);
  EXPECT_TRUE(model->execute(request(), {}).isOk());
  EXPECT_EQ(power(), DevicePower());
}

class CachedPreferenceTest : public CacheFixture {};

TEST_F(CachedPreferenceTest, ModelFromCacheKeepsPreference) {
  PrepareOptions options = withCache();
  options.preference = LowPower;
  ASSERT_NE(prepare(model_, options), nullptr);
  restart();
  auto loaded = loadModel(files_);
  ASSERT_NE(loaded, nullptr);
  EXPECT_FALSE(run(*loaded).empty());
  EXPECT_EQ(driver_->counters().power.clockLevel, "low");
}

/// A low priority lowers the clock by one level.
TEST_F(CachedPreferenceTest, ModelFromCacheKeepsPriority) {
  PrepareOptions options = withCache();
  options.priority = Priority::Low;
  ASSERT_NE(prepare(model_, options), nullptr);
  restart();
  auto loaded = loadModel(files_);
  ASSERT_NE(loaded, nullptr);
  EXPECT_FALSE(run(*loaded).empty());
  EXPECT_EQ(driver_->counters().power.clockLevel, "sustained");
}

} // namespace
} // namespace avocet::hal
