//===- PlanClock.cpp - Time of a plan, cascade by cascade -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanClock.h"

#include <algorithm>

namespace avocet::compiler::schedule {

/// The best use of the time before the cascade: each older cascade gives more time, and limits the bytes further.
/// Constants that are not in parts have one buffer, which exists only as a whole.
PlanClock::Prefetch PlanClock::prefetchOf(const firmware::Target &target, const CascadeLoad &load) const {
  const firmware::Rate rate = target.dram().bandwidth;
  Prefetch best{std::max(port_, computed_), 0, 0};
  uint64_t room = load.loadedBytes;
  for (uint32_t age = 0; age < count_; ++age) {
    room = std::min(room, segment(age).room);
    if (room == 0 || (!load.inParts && room < load.loadedBytes))
      break;
    const uint64_t start = std::max(port_, segment(age).start);
    if (start < computed_) {
      const uint64_t bytes = std::min(room, (computed_ - start) * rate.count / rate.cycles);
      if (bytes >= best.bytes)
        best = {start, bytes, age + 1};
    }
    if (segment(age).start <= port_)
      break;
  }
  return best;
}

uint64_t PlanClock::portPosition(const firmware::Target &target) const {
  if (port_ >= computed_)
    return port_;
  CascadeLoad anything;
  anything.loadedBytes = UINT64_MAX;
  anything.inParts = true;
  return computed_ - std::min(computed_, target.dram().bandwidth.cyclesFor(prefetchOf(target, anything).bytes));
}

void PlanClock::take(const Prefetch &prefetch) {
  for (uint32_t age = 0; age < prefetch.segments; ++age)
    segment(age).room -= std::min(segment(age).room, prefetch.bytes);
}

/// Merges short cascades with the one before, so that the segments cover the time in which the port can fill the SRAM.
void PlanClock::push(const firmware::Target &target, Segment added) {
  const uint64_t step = target.dram().bandwidth.cyclesFor(target.sram().bytes) / (kSegments / 2);
  if (count_ && added.start - segment(0).start < step) {
    segment(0).room = std::min(segment(0).room, added.room);
    return;
  }
  past_[next_] = added;
  next_ = (next_ + 1) % kSegments;
  count_ = std::min(count_ + 1, kSegments);
}

void PlanClock::add(const firmware::Target &target, const CascadeLoad &load, double roomShare) {
  const firmware::Rate rate = target.dram().bandwidth;
  const uint64_t latency = target.dram().readLatencyCycles;
  const uint64_t before = computed_;
  uint64_t start = computed_;
  if (load.loadedBytes) {
    Prefetch prefetch = prefetchOf(target, load);
    const uint64_t rest = load.loadedBytes - prefetch.bytes;
    if (!load.inParts) {
      port_ = prefetch.start + rate.cyclesFor(load.loadedBytes);
      prefetch.bytes = load.loadedBytes; // takes the whole buffer
      start = std::max(start, port_ + latency);
      computed_ = start + load.cycles;
    } else {
      const uint64_t first = load.firstBytes > prefetch.bytes ? load.firstBytes - prefetch.bytes : 0;
      const uint64_t from = prefetch.bytes == load.loadedBytes ? prefetch.start : std::max(port_, computed_);
      const uint64_t early =
          prefetch.bytes == load.loadedBytes ? rate.cyclesFor(load.loadedBytes) : rate.cyclesFor(rest);
      start = first ? std::max(start, std::max(port_, computed_) + rate.cyclesFor(first) + latency) : start;
      port_ = from + early;
      computed_ = std::max(start + load.cycles, rest ? port_ + latency + load.lastCycles : 0);
    }
    take(prefetch);
  } else {
    computed_ += load.cycles;
  }
  if (load.movedBytes) {
    port_ = std::max(port_, before) + rate.cyclesFor(load.movedBytes);
    computed_ = std::max(computed_, port_ + latency);
  }
  push(target, {start, uint64_t(double(load.freeBytes) * roomShare)});
}

} // namespace avocet::compiler::schedule
