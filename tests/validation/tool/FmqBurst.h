//===- FmqBurst.h - Bursts over queues of the chosen device -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_FMQBURST_H
#define AVOCET_VALIDATION_TOOL_FMQBURST_H

#include "avocet/validation/Runner.h"
#include "devices/ChosenDevice.h"

namespace avocet::tool {

/// Bursts over message queues: to the service, or between threads of this process.
hal::conformance::FmqBurstMaker fmqBurstOf(const ChosenDevice &device);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_FMQBURST_H
