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
  const uint64_t before = computed_;
  const uint64_t start = std::max(loadConstants(target, load), before + loadEdge(target, load));
  const firmware::Rate rate = target.dram().bandwidth;
  const uint64_t latency = target.dram().readLatencyCycles;
  computed_ = std::max(start + load.cycles, lastConstants_ ? lastConstants_ + load.lastCycles : 0);
  if (load.movedBytes) {
    port_ = std::max(port_, before) + rate.cyclesFor(load.movedBytes);
    computed_ = std::max(computed_, port_ - rate.cyclesFor(load.edgeStores) + latency);
    if (load.edgeStores)
      port_ = std::max(port_, computed_ + rate.cyclesFor(load.edgeStores));
  }
  push(target, {start, uint64_t(double(load.freeBytes) * roomShare)});
}

/// Time of the loads before the first tile, which wait for the stores of earlier cascades.
uint64_t PlanClock::loadEdge(const firmware::Target &target, const CascadeLoad &load) const {
  if (!load.edgeLoads)
    return 0;
  const uint64_t wait = port_ > computed_ ? port_ - computed_ : 0;
  return wait + target.dram().bandwidth.cyclesFor(load.edgeLoads) + target.dram().readLatencyCycles;
}

/// Moves the port to the end of the constants' transfers. Returns when the first tile has its constants.
uint64_t PlanClock::loadConstants(const firmware::Target &target, const CascadeLoad &load) {
  const firmware::Rate rate = target.dram().bandwidth;
  const uint64_t latency = target.dram().readLatencyCycles;
  lastConstants_ = 0;
  if (!load.loadedBytes)
    return computed_;
  Prefetch prefetch = prefetchOf(target, load);
  if (!load.inParts) {
    port_ = prefetch.start + rate.cyclesFor(load.loadedBytes);
    prefetch.bytes = load.loadedBytes; // takes the whole buffer
    take(prefetch);
    return std::max(computed_, port_ + latency);
  }
  take(prefetch);
  if (prefetch.bytes == load.loadedBytes) {
    port_ = prefetch.start + rate.cyclesFor(load.loadedBytes);
    return computed_;
  }
  const uint64_t from = std::max(port_, computed_);
  port_ = from + rate.cyclesFor(load.loadedBytes - prefetch.bytes);
  lastConstants_ = port_ + latency;
  return load.firstBytes > prefetch.bytes ? from + rate.cyclesFor(load.firstBytes - prefetch.bytes) + latency
                                          : computed_;
}

} // namespace avocet::compiler::schedule
