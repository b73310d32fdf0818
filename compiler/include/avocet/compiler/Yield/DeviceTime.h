//===- DeviceTime.h - How long the device works on streams ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the device time of single commands and of whole sections, in cycles of the target. A single command takes
// the kernel's cycles (MAC array, DSP) or its bytes at the rate of the ports (DMA), both without contention. A section
// is played: each engine runs its stream in order, waits for semaphores, and the channels share the off-chip port. The
// estimate ignores contention for the SRAM port and the overlap of commands on one engine.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_DEVICETIME_H
#define AVOCET_COMPILER_YIELD_DEVICETIME_H

#include "avocet/compiler/Sync/StreamSync.h"
#include "avocet/compiler/Yield/CommandCosts.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::compiler {

/// Cycles for which a command occupies its engine; 0 for a command that the target cannot run or that computes nothing.
uint64_t engineCycles(const firmware::Target &target, const firmware::CommandBody &command);

/// Cycles from the start of a section on an idle device to the end of its last stream.
uint64_t predictCycles(CommandCosts &costs, const SyncedStreams &section);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_DEVICETIME_H
