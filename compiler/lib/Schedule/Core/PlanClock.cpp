//===- PlanClock.cpp - Time of a plan, cascade by cascade -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanClock.h"

#include "avocet/kernels/ChannelRate.h"

namespace avocet::compiler::schedule {

void PlanClock::add(const firmware::Target &target, const CascadeLoad &load) {
  const uint64_t latency = target.dram().readLatencyCycles;
  const firmware::Rate rate = kernels::loadRate(target);
  auto portCycles = [&](uint64_t bytes) { return rate.cyclesFor(bytes); };
  // At a time, the port is ahead by at most the bytes that have a place in SRAM.
  auto limitAhead = [&](uint64_t time, uint64_t bytes) {
    if (bytes < target.sram().bytes)
      position_ = std::max(position_, time - std::min(time, portCycles(bytes)));
  };

  uint64_t start = computed_, lastConstants = 0;
  if (load.edgeLoads)
    start = std::max(computed_, position_) + portCycles(load.edgeLoads) + latency;
  if (load.loadedBytes) {
    limitAhead(computed_, load.aheadBytes);
    const uint64_t first = position_ + portCycles(load.firstBytes);
    if (first > computed_)
      start = std::max(start, first + latency);
    position_ += portCycles(load.loadedBytes);
    lastConstants = position_ + latency;
  }
  limitAhead(start, load.freeBytes);
  computed_ = start + load.cycles;
  if (lastConstants > start)
    computed_ = std::max(computed_, lastConstants + load.lastCycles);
  if (load.rowLoads) {
    const uint64_t inTurn = load.rowLoads * latency + portCycles(load.rowBytes);
    computed_ = std::max(computed_, start + (inTurn + load.cycles) / (load.rowsAhead + 1));
  }
  if (load.movedBytes) {
    const uint64_t loads = load.movedBytes - load.edgeStores;
    computed_ = std::max(computed_, std::max(position_, start) + portCycles(loads - load.edgeLoads));
    position_ += portCycles(load.movedBytes);
    if (load.edgeStores)
      position_ = std::max(position_, computed_ + portCycles(load.edgeStores));
  }
  limitAhead(computed_, load.freeBytes);
}

} // namespace avocet::compiler::schedule
