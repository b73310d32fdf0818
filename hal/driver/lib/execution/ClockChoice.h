//===- ClockChoice.h - The clock level of an execution ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_CLOCKCHOICE_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_CLOCKCHOICE_H

#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>

namespace avocet::hal {

/// The level of a model's executions without a deadline, and of its bursts. LowPower: the slowest. FastSingleAnswer:
/// the fastest. SustainedSpeed: the one below the fastest, which a stream of frames can keep. A low or high priority
/// moves it by one level down or up.
uint32_t preferredLevel(const firmware::PowerModel &power, ExecutionPreference preference, Priority priority);

/// Expected work until the end of an execution.
struct ExpectedWork {
  uint64_t cycles = 0;         ///< of the execution; 0: unknown
  uint64_t backlogCycles = 0;  ///< of the jobs before it, in cycles of the default clock
  Duration wake = Duration(0); ///< until the device is awake
};

/// The slowest level, from the preferred one on, at which the work ends in time; the fastest if there is none, or if
/// the cycles are unknown. Without a limit the preferred one.
uint32_t levelFor(const firmware::Target &target, uint32_t preferred, const OptionalDuration &left,
                  const ExpectedWork &work);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_CLOCKCHOICE_H
