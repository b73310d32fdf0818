//===- FaultPlan.h - What a device does wrong -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_FAULTPLAN_H
#define AVOCET_SIM_DEVICE_FAULTPLAN_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace avocet::sim {

/// What a device does wrong from now on, for tests of drivers. Counts go down with each fault.
struct FaultPlan {
  uint64_t lostInterrupts = 0;   ///< interrupts that are not raised
  uint64_t lateMilliseconds = 0; ///< before each interrupt
  uint64_t lostMessages = 0;     ///< messages that are not answered
  uint64_t wrongSequences = 0;   ///< answers with another sequence number
  uint64_t wrongCodes = 0;       ///< answers with an unknown code
  uint64_t wrongLengths = 0;     ///< answers of another length
  uint64_t garbageRecords = 0;   ///< completion records of random bytes
  uint64_t lostBells = 0;        ///< bells of rings that are not heard
  uint64_t isSilent = 0;         ///< 1: takes no writes and raises no interrupts
  uint64_t endsProcess = 0;      ///< 1: the process ends at the next write

  /// Parses "NAME=COUNT,NAME=COUNT"; all others are 0. InvalidArgument names what is wrong, and the names.
  static Result<FaultPlan> parse(std::string_view text);
  /// A line for each name.
  static std::string help();
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_FAULTPLAN_H
