//===- DeviceTime.h - How long the device works on streams ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device time of single commands and of whole sections, in cycles of the target. Single commands take what the
// kernels say (MAC array, DSP) or their bytes at the rate of the ports (DMA), both without contention. Sections are
// played: every engine takes its stream in order, semaphores hold it back, and the channels share the off-chip port.
// What the sum leaves out is contention for the SRAM port and how commands of one engine overlap; it is an estimate.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_DEVICETIME_H
#define AVOCET_COMPILER_YIELD_DEVICETIME_H

#include "avocet/compiler/Conversion/StreamSync.h"
#include "avocet/compiler/Yield/CommandCosts.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::compiler {

/// Cycles for which a command keeps its engine busy; 0 for one that the target cannot run or that computes nothing.
uint64_t engineCycles(const firmware::Target &target, const firmware::CommandBody &command);

/// Cycles from the start of a section on an idle device to the end of its last stream.
uint64_t predictCycles(CommandCosts &costs, const SyncedStreams &section);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_DEVICETIME_H
