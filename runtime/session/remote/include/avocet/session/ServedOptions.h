//===- ServedOptions.h - How to run on a device of a service ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_SERVEDOPTIONS_H
#define AVOCET_SESSION_SERVEDOPTIONS_H

#include "avocet/hal/types/Types.h"

#include <string>

namespace avocet::session {

/// How requests reach the service.
enum class BurstUse {
  None,    ///< one call per run
  Fastest, ///< Queues, but Calls with a deadline
  Queues,  ///< the message queues of HAL 1.2, which carry no deadlines
  Calls,   ///< calls that name the memory instead of sending it
};

struct ServedOptions {
  std::string socket; ///< where a driver service listens
  std::string device; ///< name of one of its devices
  hal::Priority priority = hal::Priority::Medium;
  hal::ExecutionPreference preference = hal::ExecutionPreference::FastSingleAnswer;
  BurstUse burst = BurstUse::None;
  double deadlineMs = 0; ///< of each run, from its call; 0: none
};

} // namespace avocet::session

#endif // AVOCET_SESSION_SERVEDOPTIONS_H
