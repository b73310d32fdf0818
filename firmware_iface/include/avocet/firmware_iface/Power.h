//===- Power.h - Clock levels and idle states of a device -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The performance and power states of a device, from the table [power] of its target file, and the formulae for time
// and energy. All clocks of a device change together, so a job takes the same number of cycles at each level.
//
// Two counts of cycles. A job's counters count cycles at the level that it runs at. The device's own time (cycle
// register, start, end and arrival of jobs, deadlines) counts cycles of the default level's clock, whatever the level,
// like the constant timer of a processor.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_POWER_H
#define AVOCET_FIRMWARE_IFACE_POWER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace avocet::firmware {

class Target;
struct JobCounters;

/// Frequency and voltage, which change together.
struct ClockLevel {
  std::string name;
  uint32_t clockPercent = 100; ///< of Target::clockHz()
  uint32_t millivolts = 0;     ///< of the device, without its off-chip memory
  double staticMilliwatts = 0; ///< leakage while the device is awake at this level, whether it works or not

  bool operator==(const ClockLevel &) const = default;
};

/// A state in which the device cannot work.
struct IdleState {
  std::string name;
  double milliwatts = 0;         ///< all power in the state
  uint64_t entryNanoseconds = 0; ///< a device that is idle for this long enters it
  uint64_t wakeNanoseconds = 0;  ///< from a submission until the job can start
  double wakeNanojoules = 0;     ///< for the way into the state and back

  bool operator==(const IdleState &) const = default;
};

struct PowerModel {
  /// Slowest first, at least one; exactly one has 100 percent.
  std::vector<ClockLevel> levels;
  /// Shallowest first: later entered, less power, longer to wake. Empty: the device is always awake.
  std::vector<IdleState> idleStates;
  /// Index of the level with 100 percent, for which cycles are simulated and predicted.
  uint32_t defaultLevel = 0;

  uint32_t fastestLevel() const { return static_cast<uint32_t>(levels.size() - 1); }

  /// The model of a target file without [power]: one level without static power, and no idle state.
  static PowerModel withoutStates();
};

/// Device time, in cycles of the default clock, of `cycles` at a level; rounded up, saturates.
uint64_t defaultCyclesOf(const PowerModel &power, uint64_t cycles, uint32_t level);

/// Whole cycles at a level in a device time; saturates.
uint64_t levelCyclesIn(const PowerModel &power, uint64_t defaultCycles, uint32_t level);

uint64_t levelHz(const Target &target, uint32_t level);

/// Nanoseconds of `cycles` at a level.
double nanosecondsAt(const Target &target, uint64_t cycles, uint32_t level);

/// Picojoules of a job.
struct JobEnergy {
  double dynamicPicojoules = 0; ///< of operations, bytes and cycles
  double staticPicojoules = 0;  ///< static power of the level for the job's time
  double total() const { return dynamicPicojoules + staticPicojoules; }
};

/// Energy of a job with these counters at a level. JobCounters::energyPicojoules is the dynamic energy at the default
/// level. The part of the off-chip bytes does not depend on the level, because that memory has its own supply; the rest
/// grows with the square of the voltage.
JobEnergy jobEnergy(const Target &target, const JobCounters &counters, uint32_t level);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_POWER_H
