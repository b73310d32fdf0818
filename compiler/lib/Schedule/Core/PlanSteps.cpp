//===- PlanSteps.cpp - What a cascade adds to a partial plan ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanSteps.h"

#include "avocet/kernels/BlockChoice.h"

#include <algorithm>

namespace avocet::compiler::schedule {

void PlanClock::add(const firmware::Target &target, const CascadeLoad &load) {
  const uint64_t latency = target.dram().readLatencyCycles;
  const firmware::Rate rate = kernels::channelLoadRate(target);
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

namespace {

constexpr uint32_t kWordBits = 64;

uint64_t bitOf(uint32_t tensor) { return uint64_t{1} << tensor % kWordBits; }

/// Scrambles a number, so that sets with few members differ (the finalizer of SplitMix64).
uint64_t scrambled(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

} // namespace

bool Spills::contains(uint32_t tensor) const {
  const size_t word = tensor / kWordBits;
  return word < words_.size() && (words_[word] & bitOf(tensor)) != 0;
}

void Spills::insert(uint32_t tensor, uint64_t bytes) {
  if (contains(tensor))
    return;
  if (words_.size() <= tensor / kWordBits)
    words_.resize(tensor / kWordBits + 1, 0);
  words_[tensor / kWordBits] |= bitOf(tensor);
  bytes_ += bytes;
  hash_ ^= scrambled(tensor);
}

void Spills::erase(uint32_t tensor, uint64_t bytes) {
  if (!contains(tensor))
    return;
  words_[tensor / kWordBits] &= ~bitOf(tensor);
  while (!words_.empty() && words_.back() == 0)
    words_.pop_back();
  bytes_ -= bytes;
  hash_ ^= scrambled(tensor);
}

std::optional<PlanStep> PlanSteps::step(const CascadeRange &range, const CascadeWay &way, const Spills &from,
                                        const std::vector<uint32_t> &newSpills) const {
  uint64_t bytes = uses_.crossingBytes(way.cascade.first) - from.bytes() + way.innerBytes;
  CascadeLoad load{.cycles = way.cycles,
                   .lastCycles = way.lastCycles,
                   .loadedBytes = way.loadedBytes,
                   .firstBytes = way.firstBytes,
                   .aheadBytes = way.isRepeated ? way.constantBytes : UINT64_MAX};
  for (size_t i = 0; i < range.borders.size(); ++i) {
    const auto [tensor, isRead, staysInSram] = range.borders[i];
    const bool inDram = isInDram(range.borders[i], from, newSpills, way.cascade.end);
    if (inDram && staysInSram)
      return std::nullopt;
    const bool isExtra = isRead || !takesPlace(from, range, way, i, inDram);
    if (inDram && isExtra)
      bytes += way.borders[i].ring;
    else if (!inDram && !isRead && isExtra)
      bytes += uses_.bytesOf(tensor);
    addTransfers(range.borders[i], way, way.borders[i], inDram, load);
  }
  load.rowsAhead = way.cascade.ahead ? 2 : 1;
  load.cycles += sharedPort(way, load.movedBytes);
  return PlanStep{bytes + way.constantBytes, load};
}

/// What the cascade loads and stores of a border tensor.
void PlanSteps::addTransfers(const BorderTensor &border, const CascadeWay &way, const CascadeWay::Border &bytes,
                             bool inDram, CascadeLoad &load) const {
  const TensorUses::Range &uses = uses_.of(border.tensor);
  const bool isOutput = !problem_.tensors[border.tensor].networkOutputs.empty();
  if (!inDram && uses.hasShortRuns) { // the cascade with the last writer stores all rows
    if (isOutput && uses.lastWriter >= way.cascade.first && uses.lastWriter < way.cascade.end) {
      load.movedBytes += uses_.bytesOf(border.tensor);
      load.edgeStores += uses_.bytesOf(border.tensor);
    }
    return;
  }
  if (!inDram && (border.isRead || !isOutput))
    return;
  load.movedBytes += bytes.moved;
  if (bytes.rowLoads > load.rowLoads) {
    load.rowLoads = bytes.rowLoads;
    load.rowBytes = bytes.moved;
  }
  (border.isRead ? load.edgeLoads : load.edgeStores) += bytes.edge;
}

/// Cycles for which tiles wait because transfers use the SRAM port: its cycles, times the share of the time in which
/// tiles need it.
uint64_t PlanSteps::sharedPort(const CascadeWay &way, uint64_t bytes) const {
  const uint64_t cycles = bytes / problem_.target->sram().portBytesPerCycle;
  return way.cycles ? cycles * std::min(way.portCycles, way.cycles) / way.cycles : 0;
}

bool PlanSteps::isInDram(const BorderTensor &border, const Spills &from, const std::vector<uint32_t> &newSpills,
                         uint32_t end) const {
  const TensorUses::Range &uses = uses_.of(border.tensor);
  if (uses_.isOnlyStored(border.tensor))
    return true;
  return border.isRead ? !uses.isWritten || from.contains(border.tensor)
                       : uses.reader < end || std::ranges::find(newSpills, border.tensor) != newSpills.end();
}

/// Whether a result takes the place of an operand.
bool PlanSteps::takesPlace(const Spills &from, const CascadeRange &range, const CascadeWay &way, size_t result,
                           bool resultInDram) const {
  const uint32_t writer = uses_.of(range.borders[result].tensor).writer;
  return std::ranges::any_of(way.borders[result].inPlace, [&](uint32_t border) {
    if (border == kNone || (resultInDram && !way.borders[result].isWhole))
      return false;
    const BorderTensor &operand = range.borders[border];
    return isInDram(operand, from, {}, way.cascade.end) ? way.borders[border].isWhole
                                                        : isLastUse(problem_, uses_, operand.tensor, writer);
  });
}

Spills PlanSteps::after(const Spills &from, const std::vector<uint32_t> &newSpills, uint32_t first,
                        uint32_t end) const {
  Spills to = from;
  // A tensor leaves the set with its last user, which is in the cascade.
  for (uint32_t operation = first; operation < end; ++operation)
    for (const auto *list : {&uses_.readBy(operation), &uses_.writtenBy(operation)})
      for (uint32_t tensor : *list)
        if (uses_.of(tensor).reader == operation)
          to.erase(tensor, uses_.bytesOf(tensor));
  for (uint32_t tensor : newSpills)
    if (uses_.of(tensor).reader >= end)
      to.insert(tensor, uses_.bytesOf(tensor));
  return to;
}

} // namespace avocet::compiler::schedule
