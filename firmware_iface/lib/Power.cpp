//===- Power.cpp - Clock levels and idle states of a device ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Power.h"

#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Target.h"

#include <algorithm>

namespace avocet::firmware {
namespace {

using Wide = unsigned __int128;

uint64_t saturated(Wide value) { return value > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(value); }

uint32_t percentOf(const PowerModel &power, uint32_t level) { return power.levels.at(level).clockPercent; }

} // namespace

PowerModel PowerModel::withoutStates() {
  constexpr uint32_t kAnyMillivolts = 1000; // only ratios of voltages matter
  return {{{"default", 100, kAnyMillivolts, 0}}, {}, 0};
}

uint64_t defaultCyclesOf(const PowerModel &power, uint64_t cycles, uint32_t level) {
  const uint32_t percent = percentOf(power, level);
  return saturated(divideUp(Wide{cycles} * 100, percent));
}

uint64_t levelCyclesIn(const PowerModel &power, uint64_t defaultCycles, uint32_t level) {
  return saturated(Wide{defaultCycles} * percentOf(power, level) / 100);
}

uint64_t levelHz(const Target &target, uint32_t level) {
  return saturated(Wide{target.clockHz()} * percentOf(target.power(), level) / 100);
}

double nanosecondsAt(const Target &target, uint64_t cycles, uint32_t level) {
  return target.nanoseconds(cycles) * 100 / percentOf(target.power(), level);
}

JobEnergy jobEnergy(const Target &target, const JobCounters &counters, uint32_t level) {
  const PowerModel &power = target.power();
  const ClockLevel &used = power.levels.at(level);
  const double ratio = static_cast<double>(used.millivolts) / power.levels.at(power.defaultLevel).millivolts;
  const auto all = static_cast<double>(counters.energyPicojoules);
  const double offChip =
      std::min(all, target.energy().dramByte * static_cast<double>(counters.dramReadBytes + counters.dramWriteBytes));
  // A milliwatt for a nanosecond is a picojoule.
  return {offChip + (all - offChip) * ratio * ratio,
          used.staticMilliwatts * nanosecondsAt(target, counters.cycles, level)};
}

} // namespace avocet::firmware
