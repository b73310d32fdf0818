//===- ClockChoice.cpp - The clock level of an execution ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/ClockChoice.h"

#include <algorithm>

namespace avocet::hal {
namespace {

int64_t preferredIndex(int64_t fastest, ExecutionPreference preference) {
  switch (preference) {
  case ExecutionPreference::LowPower:
    return 0;
  case ExecutionPreference::SustainedSpeed:
    return fastest - 1;
  case ExecutionPreference::FastSingleAnswer:
    break;
  }
  return fastest;
}

int64_t stepOf(Priority priority) {
  switch (priority) {
  case Priority::Low:
    return -1;
  case Priority::High:
    return 1;
  case Priority::Medium:
    break;
  }
  return 0;
}

} // namespace

uint32_t preferredLevel(const firmware::PowerModel &power, ExecutionPreference preference, Priority priority) {
  const int64_t fastest = power.fastestLevel();
  const int64_t level = std::clamp<int64_t>(preferredIndex(fastest, preference), 0, fastest);
  return static_cast<uint32_t>(std::clamp<int64_t>(level + stepOf(priority), 0, fastest));
}

uint32_t levelFor(const firmware::Target &target, uint32_t preferred, const OptionalDuration &left,
                  const ExpectedWork &work) {
  if (!left)
    return preferred;
  const uint32_t fastest = target.power().fastestLevel();
  if (work.cycles == 0)
    return fastest;
  const double available = static_cast<double>((*left - work.wake).count()) - target.nanoseconds(work.backlogCycles);
  uint32_t level = preferred;
  while (level < fastest && nanosecondsAt(target, work.cycles, level) > available)
    ++level;
  return level;
}

} // namespace avocet::hal
