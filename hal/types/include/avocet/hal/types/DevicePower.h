//===- DevicePower.h - State, time and energy of a device -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_DEVICEPOWER_H
#define AVOCET_HAL_TYPES_DEVICEPOWER_H

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::hal {

/// Time in a clock level (only that of executions) or in an idle state.
struct StateTime {
  std::string state;
  uint64_t nanoseconds = 0;

  bool operator==(const StateTime &) const = default;
};

/// The names are those of the target file. Sums are those since the device was opened, over all clients.
struct DevicePower {
  std::string clockLevel; ///< of the running or last execution, or of a burst; empty: the device has no levels, and all
                          ///< else is zero
  std::string idleState;  ///< empty: awake
  uint32_t bursts = 0;    ///< that keep the device awake now
  uint64_t executions = 0; ///< jobs of the device
  uint64_t wakeUps = 0;
  uint64_t dynamicPicojoules = 0;     ///< of executions: operations, bytes and cycles
  uint64_t staticPicojoules = 0;      ///< of executions: static power of their clock levels
  uint64_t idlePicojoules = 0;        ///< between executions, awake or in an idle state
  uint64_t wakePicojoules = 0;        ///< of wake-ups
  uint64_t awakeNanoseconds = 0;      ///< between executions, in no idle state
  std::vector<StateTime> clockLevels; ///< in the order of the target file, as the next list
  std::vector<StateTime> idleStates;

  uint64_t picojoules() const { return dynamicPicojoules + staticPicojoules + idlePicojoules + wakePicojoules; }
  bool operator==(const DevicePower &) const = default;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_DEVICEPOWER_H
