//===- EngineTime.h - How long a command occupies its engine ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles of single commands, without contention: the kernel's cycles (MAC array, DSP), or the bytes at the rate of the
// ports (DMA). How long a whole network takes is the scheduler's prediction (Schedule/Core/Sequence.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_ENGINETIME_H
#define AVOCET_COMPILER_YIELD_ENGINETIME_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::compiler {

/// Cycles for which a command occupies its engine; 0 for a command that the target cannot run or that computes nothing.
uint64_t engineCycles(const firmware::Target &target, const firmware::CommandBody &command);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_ENGINETIME_H
