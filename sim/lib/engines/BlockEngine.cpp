//===- BlockEngine.cpp - MAC array and vector DSP ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/BlockEngine.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

/// Blocks whose load begins within this many cycles are simulated in one event. Requests of other engines in that
/// time come after them in the port's calendar. The constant bounds how far the order of requests can differ from that
/// of a finer model.
static constexpr uint64_t kLookahead = 2 * BandwidthCalendar::kQuantum;

void BlockEngine::begin(const PreparedCommand &command, uint64_t ready) {
  command_ = &command;
  run_ = 0;
  inRun_ = 0;
  ready_ = ready;
  ahead_ = {};
  rows_.begin(command, ready);
  rowsReady_ = command.cost.runs.empty() ? 0 : rows_.readyTime(command.cost.runs[0]);
}

/// The earliest request of the next block's input, or of its weights if the input is in the buffer or being fetched.
uint64_t BlockEngine::loadTime() {
  if (ahead_.isMade || command_->cost.runs[run_].loadBytes == 0)
    return std::max(ready_, computeStart_);
  return std::max({ready_, rowsReady_, slotFree_[slot_ ^ 1]});
}

Engine::Progress BlockEngine::advance(uint64_t now) {
  const auto &runs = command_->cost.runs;
  while (run_ < runs.size()) {
    const uint64_t asked = loadTime();
    if (asked > now + kLookahead)
      return {false, asked, 0};
    play(runs[run_], asked);
    finishBlock(runs[run_]);
  }
  rows_.finish(outputEnd_);
  return {true, std::max(now, slotFree_[slot_ ^ 1]), outputEnd_};
}

BlockEngine::Fetch BlockEngine::fetch(const kernels::BlockRun &block, uint64_t asked, uint64_t bytesPerQuantum) {
  Fetch fetch{true, job_.sramPort.reserve(asked, block.loadBytes, bytesPerQuantum), 0};
  fetch.streamed = fetch.loaded;
  if (block.streamBytes != 0)
    fetch.streamed = job_.sramPort.reserve(std::max(fetch.loaded, computeStart_), block.streamBytes, bytesPerQuantum);
  return fetch;
}

/// After the first block of a place: requests the input of the next place, if other blocks of this place come first, at
/// the rate that completes it in time.
void BlockEngine::fetchNextPlace() {
  const auto &runs = command_->cost.runs;
  size_t next = run_;
  uint64_t busy = 1; // cycles of the blocks in between
  for (; next < runs.size() && runs[next].loadBytes == 0; ++next)
    busy += runs[next].count * std::max(runs[next].computeCycles, runs[next].outputCycles);
  if (next == run_ || next == runs.size())
    return;
  const uint64_t whole = job_.sramPort.quantumBytes(), bytes = runs[next].loadBytes + runs[next].streamBytes;
  const uint64_t rate = std::clamp(bytes * BandwidthCalendar::kQuantum / busy, whole / 4, whole);
  const uint64_t asked = std::max({ready_, rows_.readyTime(runs[next]), slotFree_[slot_ ^ 1]});
  ahead_ = fetch(runs[next], std::max(asked, computeStart_), rate);
}

void BlockEngine::play(const kernels::BlockRun &block, uint64_t asked) {
  const uint64_t latency = job_.target.sram().latencyCycles;
  results_ ^= 1;
  Fetch input{true, asked, asked};
  uint64_t arrived = asked;
  if (block.loadBytes != 0) {
    slot_ ^= 1;
    input = ahead_.isMade ? ahead_ : fetch(block, asked, BandwidthCalendar::kNoLimit);
    ahead_ = {};
    arrived = input.loaded + latency;
  }
  const uint64_t loaded = input.loaded;
  uint64_t streamed = block.streamBytes != 0 ? input.streamed + latency : arrived;
  if (block.weightBytes != 0) {
    const uint64_t from = std::max({loaded, computeStart_, asked});
    streamed = std::max(streamed, job_.sramPort.reserve(from, block.weightBytes) + latency);
  }

  bookStall(StallCause::FrontEnd, asked);
  bookStall(StallCause::SramPort, loaded);
  bookStall(StallCause::Latency, arrived);
  computeStart_ = std::max({arrived, computeEnd_, resultsFree_[results_]});
  storeBound_[results_] ? bookStall(StallCause::SramPort, computeStart_) : bookBusy(computeStart_);
  const uint64_t computed = computeStart_ + block.computeCycles;
  bookBusy(computed);
  computeEnd_ = std::max(computed, streamed);
  bookStall(StallCause::SramPort, computeEnd_);

  const uint64_t outputStart = std::max(computeEnd_ + pipelineCycles_, outputEnd_);
  const uint64_t stored = job_.sramPort.reserve(outputStart, block.storeBytes);
  outputEnd_ = std::max(outputStart + block.outputCycles, stored);
  slotFree_[slot_] = computeEnd_;
  resultsFree_[results_] = outputEnd_;
  storeBound_[results_] = stored > outputStart + block.outputCycles;
}

/// Moves to the next block.
void BlockEngine::finishBlock(const kernels::BlockRun &block) {
  if (++inRun_ < block.count)
    return;
  rows_.addRows(block.outputRowsEnd, outputEnd_);
  inRun_ = 0;
  if (++run_ == command_->cost.runs.size())
    return;
  if (block.loadBytes != 0)
    fetchNextPlace();
  if (!ahead_.isMade && command_->cost.runs[run_].loadBytes != 0)
    rowsReady_ = rows_.readyTime(command_->cost.runs[run_]);
}

} // namespace avocet::sim
