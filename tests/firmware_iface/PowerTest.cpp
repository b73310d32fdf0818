//===- PowerTest.cpp - Clock levels, idle states, energy ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Power.h"

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Target.h"

#include <gtest/gtest.h>

using namespace avocet;
using namespace avocet::firmware;

namespace {

std::shared_ptr<const Target> e256() { return Target::load("e256").value(); }

/// Two microjoules on chip and one off it.
JobCounters someWork() {
  JobCounters counters{};
  counters.cycles = 100'000;
  counters.dramReadBytes = 10'000;
  counters.dramWriteBytes = 1'000'000 / 60 - 10'000; // 60 pJ each, and 40 pJ are left of a microjoule
  counters.energyPicojoules = 60 * (counters.dramReadBytes + counters.dramWriteBytes) + 2'000'000;
  return counters;
}

TEST(PowerModelTest, ShippedTargetsRunFastestByDefault) {
  for (const std::string &name : Target::shippedNames()) {
    const auto target = Target::load(name).value();
    const PowerModel &power = target->power();
    EXPECT_GE(power.levels.size(), 3u) << name;
    EXPECT_EQ(power.defaultLevel, power.fastestLevel()) << name;
    EXPECT_EQ(levelHz(*target, power.defaultLevel), target->clockHz()) << name;
    EXPECT_GE(power.idleStates.size(), 2u) << name;
    EXPECT_LT(power.idleStates.front().milliwatts, power.levels.front().staticMilliwatts) << name;
  }
}

/// A state saves the energy of its wake-up in as much time as passes until it is entered.
TEST(PowerModelTest, ShippedIdleStatesPayOff) {
  for (const std::string &name : Target::shippedNames()) {
    const auto target = Target::load(name).value();
    double before = target->power().levels.back().staticMilliwatts;
    for (const IdleState &state : target->power().idleStates) {
      const double savedPicojoules = (before - state.milliwatts) * static_cast<double>(state.entryNanoseconds);
      EXPECT_GT(savedPicojoules, state.wakeNanojoules * 1e3) << name << " " << state.name;
      before = state.milliwatts;
    }
  }
}

TEST(PowerModelTest, FileWithoutPowerHasOneLevel) {
  std::string text = targetText("e256").value();
  const size_t begin = text.find("[power]");
  text.erase(begin, text.find("[energy]") - begin);
  const auto target = Target::parse(text, "old").value();
  EXPECT_EQ(target->fingerprint(), e256()->fingerprint());
  EXPECT_EQ(target->power().levels.size(), 1u);
  EXPECT_TRUE(target->power().idleStates.empty());
  const JobEnergy energy = jobEnergy(*target, someWork(), 0);
  EXPECT_EQ(energy.total(), static_cast<double>(someWork().energyPicojoules));
}

TEST(PowerTimeTest, DefaultLevelKeepsCycles) {
  const PowerModel power = e256()->power();
  for (uint64_t cycles : {uint64_t{0}, uint64_t{1}, uint64_t{12'345}, UINT64_MAX}) {
    EXPECT_EQ(defaultCyclesOf(power, cycles, power.defaultLevel), cycles);
    EXPECT_EQ(levelCyclesIn(power, cycles, power.defaultLevel), cycles);
  }
}

TEST(PowerTimeTest, SlowLevelTakesLonger) {
  const auto target = e256();
  EXPECT_EQ(levelHz(*target, 0), 200'000'000u);
  EXPECT_DOUBLE_EQ(nanosecondsAt(*target, 1'000, 0), 5'000);                            // 1000 / 200 MHz
  EXPECT_DOUBLE_EQ(nanosecondsAt(*target, 1'000, target->power().defaultLevel), 2'000); // 1000 / 500 MHz
  EXPECT_EQ(defaultCyclesOf(target->power(), 1'000, 0), 2'500u);                        // 1000 / 0.4
  EXPECT_EQ(defaultCyclesOf(target->power(), 1, 0), 3u) << "rounds up";
  EXPECT_EQ(levelCyclesIn(target->power(), 2'500, 0), 1'000u);
  EXPECT_EQ(levelCyclesIn(target->power(), 2'499, 0), 999u) << "rounds down";
  EXPECT_EQ(defaultCyclesOf(target->power(), UINT64_MAX, 0), UINT64_MAX);
}

TEST(JobEnergyTest, DefaultLevelKeepsDynamicEnergy) {
  const auto target = e256();
  const JobEnergy energy = jobEnergy(*target, someWork(), target->power().defaultLevel);
  EXPECT_DOUBLE_EQ(energy.dynamicPicojoules, static_cast<double>(someWork().energyPicojoules));
  EXPECT_DOUBLE_EQ(energy.staticPicojoules, 4.0 * 200'000); // 4 mW for 100,000 cycles at 500 MHz
}

TEST(JobEnergyTest, OnChipPartFollowsSquareOfVoltage) {
  const JobEnergy energy = jobEnergy(*e256(), someWork(), 0);
  const double offChip = 60.0 * 16'666;
  EXPECT_NEAR(energy.dynamicPicojoules, offChip + 2'000'000 * 0.5625, 1); // (600 mV / 800 mV)^2
  EXPECT_DOUBLE_EQ(energy.staticPicojoules, 1.6 * 500'000);               // 1.6 mW for 100,000 cycles at 200 MHz
}

TEST(JobEnergyTest, NoTimeNeedsNoStaticEnergy) {
  JobCounters counters = someWork();
  counters.cycles = 0;
  EXPECT_EQ(jobEnergy(*e256(), counters, 0).staticPicojoules, 0);
}

} // namespace
