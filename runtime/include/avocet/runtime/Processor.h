//===- Processor.h - The host's processor as a device -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processor runs compiled networks with the kernels of the simulator, without a model of time. Devices (hal/cpu)
// and sessions (session/DividedSession.h) have these facts in common.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_PROCESSOR_H
#define AVOCET_RUNTIME_PROCESSOR_H

#include <cstdint>
#include <string_view>

namespace avocet::runtime {

/// The compiler's target: of the shipped ones that with the most on-chip memory, so that networks have the fewest
/// commands.
inline constexpr std::string_view kProcessorTarget = "p4096";

/// That compute, with the caller's: those of the knob AVOCET_CPU_THREADS; by default one for each processor that this
/// process may use, 4 at most: more make hardly any network faster, and take processors from the application.
uint32_t processorThreads();

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_PROCESSOR_H
