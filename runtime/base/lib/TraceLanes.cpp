//===- TraceLanes.cpp - Tracks without overlaps ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TraceLanes.h"

namespace avocet {
namespace {

/// The ends of the intervals of one lane that have not ended yet, the innermost last.
using Lane = std::vector<int64_t>;

bool hasRoom(Lane &lane, const TraceInterval &interval, Nesting nesting) {
  while (!lane.empty() && lane.back() <= interval.start)
    lane.pop_back();
  return lane.empty() || (nesting == Nesting::Allowed && interval.end <= lane.back());
}

} // namespace

std::vector<uint32_t> assignLanes(std::span<const TraceInterval> intervals, Nesting nesting) {
  std::vector<Lane> lanes;
  std::vector<uint32_t> assigned;
  assigned.reserve(intervals.size());
  for (const TraceInterval &interval : intervals) {
    uint32_t lane = 0;
    while (lane < lanes.size() && !hasRoom(lanes[lane], interval, nesting))
      ++lane;
    if (lane == lanes.size())
      lanes.emplace_back();
    lanes[lane].push_back(interval.end);
    assigned.push_back(lane);
  }
  return assigned;
}

} // namespace avocet
