//===- LiveBytes.h - SRAM bytes that a stopped job still needs --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_LIVEBYTES_H
#define AVOCET_SIM_LIB_JOB_LIVEBYTES_H

#include "avocet/base/ByteSet.h"
#include "job/Program.h"

#include <span>

namespace avocet::sim {

/// Where a stream stopped: the commands before `position` are complete, the others have not begun.
struct StreamPosition {
  const Program *program;
  uint32_t position;
};

/// The bytes of on-chip memory that the rest of a section may read, by the rule at YieldCommand: the declared live
/// bytes of the lowest point that all its streams have passed, and all that they wrote after it. Streams at their end
/// have passed every point. Declared ranges may be arbitrary; they are clipped to `sramBytes`.
ByteSet liveBytes(std::span<const StreamPosition> streams, uint64_t sramBytes);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_LIVEBYTES_H
