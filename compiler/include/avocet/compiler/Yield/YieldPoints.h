//===- YieldPoints.h - Where a job may be stopped ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The points at which the scheduler of the device may stop a section, and what of SRAM it has to keep at each. A point
// stands between two commands of the section's list. In the streams it becomes a yield of every engine that has a
// command between it and the next point: an engine that has nothing to do there would only pass several yields in a
// row. An engine that starts late begins with a yield, which tells the device that it had no part in the points before.
//
// Live at a point is a superset of the bytes that a command in front of it wrote and a command behind it reads. Writes
// end what lay there before only where a footprint is exact; buffers that begin end all that lay at their place, which
// is what keeps the supersets small.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_YIELDPOINTS_H
#define AVOCET_COMPILER_YIELD_YIELDPOINTS_H

#include "avocet/compiler/Conversion/StreamSync.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::compiler {

/// Bytes [begin, end) of SRAM hold nothing of use in front of command `command` of the list: a buffer begins there.
struct BufferStart {
  uint32_t command = 0;
  uint64_t begin = 0, end = 0;
};

struct YieldPoint {
  uint32_t before = 0; ///< index of the list's command behind the point
  std::vector<firmware::SramRange> live;
};

/// Cycles that an engine may work from one yield to the next: 40 us of the target's clock. A job of higher priority
/// shall start within 100 us. An engine works for at most this long before it stops, if nobody contends for its memory;
/// the rest is room for contention and for latencies.
uint64_t yieldBound(const firmware::Target &target);

/// Indices of the commands in front of which points stand: as few as keep every engine's cycles between two of them at
/// `bound`, but for commands that alone take longer. `cycles` has one entry for each command.
std::vector<uint32_t> choosePoints(std::span<const LinearCommand> list, std::span<const uint64_t> cycles,
                                   uint64_t bound);

/// The points with what is live at them, at most YieldCommand::kMaxLiveRanges ranges each. Both inputs ascend.
std::vector<YieldPoint> findLive(std::span<const LinearCommand> list, std::span<const uint32_t> points,
                                 std::span<const BufferStart> starts);

/// Internal if a point's ranges are not ascending and disjoint or are too many, or if a byte is not live at a point
/// although a command in front of it wrote it and one behind it reads that value. Looks at values from their writers
/// on, where findLive looks from their readers back.
Status verifyYields(std::span<const LinearCommand> list, std::span<const YieldPoint> points,
                    std::span<const BufferStart> starts);

/// Puts yields into the streams of the list, numbered from 1. Each point's ranges go into the first stream that has it.
void insertYields(SyncedStreams &section, std::span<const YieldPoint> points);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_YIELDPOINTS_H
