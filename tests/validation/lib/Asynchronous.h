//===- Asynchronous.h - One asynchronous execution --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_ASYNCHRONOUS_H
#define AVOCET_VALIDATION_ASYNCHRONOUS_H

#include "avocet/hal/types/Interfaces.h"

namespace avocet::hal::conformance {

struct Launched {
  ExecutionOutcome outcome;
  std::string complaint; ///< not empty if the callback broke a rule
};

/// Launches, and waits for the callback until `deadline`.
Launched launchAndWait(IPreparedModel &model, const Request &request, const ExecutionOptions &options,
                       TimePoint deadline);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_ASYNCHRONOUS_H
