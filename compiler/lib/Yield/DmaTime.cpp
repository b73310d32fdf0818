//===- DmaTime.cpp - How long a transfer takes ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaTime.h"

#include <algorithm>

namespace avocet::compiler {

using namespace firmware;

namespace {

/// Limit for extents, so that products of malicious values do not wrap; no real transfer is as long.
constexpr uint64_t kManyBytes = uint64_t{1} << 31;

/// The contiguous runs of a transfer: bursts do not cross their borders.
struct Runs {
  uint64_t bytes, count;
};

Runs runsOf(const DmaCommand &dma) {
  const uint32_t counts[] = {dma.count0, dma.count1, dma.count2};
  const uint32_t source[] = {dma.source.stride0, dma.source.stride1, dma.source.stride2};
  const uint32_t destination[] = {dma.destination.stride0, dma.destination.stride1, dma.destination.stride2};
  Runs runs{dma.runBytes, 1};
  bool touches = true;
  for (int level = 0; level < 3; ++level) {
    const bool isNext = destination[level] == runs.bytes && (dma.kind == DmaKind::Fill || source[level] == runs.bytes);
    touches = touches && (counts[level] == 1 || isNext);
    uint64_t &extent = touches ? runs.bytes : runs.count;
    extent = std::min(extent * counts[level], kManyBytes); // both below 2^32
  }
  return runs;
}

uint64_t inUnits(const Runs &runs, uint64_t unit) { return (runs.bytes + unit - 1) / unit * unit * runs.count; }

void addEnd(const Target &target, const DmaEnd &end, const Runs &runs, bool isWrite, DmaTime &time) {
  const SramModel &sram = target.sram();
  if (end.region == kSramRegion) {
    const uint64_t bytes = inUnits(runs, std::min(sram.portBytesPerCycle, sram.burstBytes));
    time.channelCycles = std::max(time.channelCycles, bytes / sram.portBytesPerCycle);
    time.latency += isWrite ? 0 : sram.latencyCycles;
    return;
  }
  const uint64_t bytes = inUnits(runs, target.dram().burstBytes);
  const uint64_t latency = isWrite ? target.dram().writeLatencyCycles : target.dram().readLatencyCycles;
  const uint64_t port = target.dram().bandwidth.cyclesFor(bytes);
  const uint64_t inFlight = bytes * latency / target.dma().outstandingBytes;
  time.portCycles += port;
  time.channelCycles = std::max({time.channelCycles, port, inFlight});
  time.latency += latency;
}

} // namespace

DmaTime dmaTime(const Target &target, const DmaCommand &command) {
  DmaTime time;
  const Runs runs = runsOf(command);
  if (runs.bytes == 0 || runs.count == 0)
    return time;
  if (command.kind == DmaKind::Copy)
    addEnd(target, command.source, runs, false, time);
  addEnd(target, command.destination, runs, true, time);
  return time;
}

} // namespace avocet::compiler
