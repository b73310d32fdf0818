//===- YieldPoints.h - Where a job may be stopped ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The points at which the device's scheduler may stop a section, and the SRAM bytes that it must save at each. A point
// lies between two commands of the section's list. In the streams it becomes a yield of every engine that has a command
// between it and the next point; other engines would only pass several yields in a row. An engine that starts late
// begins with a yield, which shows the device that it took no part in earlier points.
//
// The live ranges at a point are a superset of the bytes that a command before it wrote and a command after it reads. A
// write ends the earlier live range only if its footprint is exact. A buffer start ends all live ranges in the buffer's
// bytes, which keeps the supersets small.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_YIELDPOINTS_H
#define AVOCET_COMPILER_LIB_YIELD_YIELDPOINTS_H

#include "Sync/StreamSync.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::compiler {

/// Bytes [begin, end) of SRAM hold no live value before command `command` of the list: a buffer, or the piece of one
/// that the command brings, starts there.
struct BufferStart {
  uint32_t command = 0;
  uint64_t begin = 0, end = 0;
};

struct YieldPoint {
  uint32_t before = 0; ///< index of the list's command after the point
  std::vector<firmware::SramRange> live;
};

/// Maximum cycles of an engine from one yield to the next: 40 us of the target's clock, without contention for memory.
/// A job of higher priority must start within 100 us; the rest is margin for contention and latencies.
uint64_t yieldBound(const firmware::Target &target);

/// Indices of the commands before which points lie: the fewest that keep each engine's cycles between two points within
/// `bound`, except for commands that take longer by themselves. `cycles` has one entry per command.
std::vector<uint32_t> choosePoints(std::span<const LinearCommand> list, std::span<const uint64_t> cycles,
                                   uint64_t bound);

/// The points with their live ranges, at most YieldCommand::kMaxLiveRanges each. Both inputs ascend.
std::vector<YieldPoint> findLive(std::span<const LinearCommand> list, std::span<const uint32_t> points,
                                 std::span<const BufferStart> starts);

/// Internal if a point's ranges are not ascending and disjoint or are too many. Also Internal if a byte is not live at
/// a point although a command before it wrote it and one after it reads that value. Follows values forward from their
/// writers, whereas findLive goes backward from their readers.
Status verifyYields(std::span<const LinearCommand> list, std::span<const YieldPoint> points,
                    std::span<const BufferStart> starts);

/// Inserts yields into the streams of the list, numbered from 1. Each point's ranges go into the first stream that has
/// it.
void insertYields(SyncedStreams &section, std::span<const YieldPoint> points);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_YIELDPOINTS_H
