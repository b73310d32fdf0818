//===- CommandCosts.cpp - Cached cycles and blocks of commands ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandCosts.h"

#include "avocet/base/Checksum.h"
#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/Addresses.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace avocet::compiler {
namespace {

struct DmaTime {
  uint64_t channelCycles = 0; ///< at the rate of one channel, without latency
  uint64_t portCycles = 0;    ///< of the off-chip port, which all channels share
  uint64_t latency = 0;       ///< from the first request to the first byte, and after the last byte of a store
};

using namespace firmware;

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

uint64_t inUnits(const Runs &runs, uint64_t unit) { return roundUp(runs.bytes, unit) * runs.count; }

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

/// The time of a transfer on an idle device.
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

} // namespace

uint64_t engineCycles(const Target &target, const CommandBody &command) {
  if (const auto *dma = std::get_if<DmaCommand>(&command))
    return dmaTime(target, *dma).channelCycles;
  const kernels::Kernel *kernel = kernels::findKernel(command);
  return kernel && kernel->check(target, command).isOk() ? kernel->cost(target, command).cycles : 0;
}

namespace {

/// Removes operand addresses from a command. The remaining fields determine legality and cost.
struct Unplacer {
  void operator()(auto &command) const {
    visitAddresses(command, [](auto &field) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, SramAddress>)
        field = 0;
      else
        field.offset = 0;
    });
  }
};

} // namespace

size_t CommandCosts::KeyHash::operator()(const Key &key) const {
  Fnv1a hash;
  for (uint32_t word : key)
    hash.addInOneStep(word);
  return hash.value() ^ hash.value() >> 32;
}

CommandCosts::Key CommandCosts::keyOf(const CommandBody &command) {
  Command unplaced{kNoLayer, command};
  std::visit(Unplacer{}, unplaced.body);
  Key words;
  encode(unplaced, words);
  return words;
}

uint64_t CommandCosts::cycles(const CommandBody &command) {
  auto [entry, isNew] = cycles_.try_emplace(keyOf(command));
  if (isNew)
    entry->second = engineCycles(target_, command);
  return entry->second;
}

Block CommandCosts::block(const CommandBody &command) {
  auto [entry, isNew] = blocks_.try_emplace(keyOf(command));
  if (isNew)
    entry->second = kernels::chooseBlock(target_, command).block;
  return entry->second;
}

std::optional<uint32_t> &CommandCosts::splitWay(const CommandBody &command, uint64_t bound) {
  Key key = keyOf(command);
  key.push_back(static_cast<uint32_t>(bound));
  key.push_back(static_cast<uint32_t>(bound >> 32));
  return splitWays_[std::move(key)];
}

} // namespace avocet::compiler
