//===- LiveBytes.h - What a job that stops needs again ----------*- C++ -*-===//
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

/// Where a stream stopped: the commands in front of `position` are complete, the others have not begun.
struct StreamPosition {
  const Program *program;
  uint32_t position;
};

/// The bytes of on-chip memory that the rest of a section may read, by the rule at YieldCommand: what its streams
/// declare live at the lowest point that all of them have passed, and what they wrote behind it. Streams at their end
/// have passed every point. Declared ranges are cut at `sramBytes`; they may be anything else.
ByteSet liveBytes(std::span<const StreamPosition> streams, uint64_t sramBytes);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_LIVEBYTES_H
