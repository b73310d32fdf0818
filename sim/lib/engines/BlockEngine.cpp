//===- BlockEngine.cpp - MAC array and vector DSP: load, compute, store, block by block -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/BlockEngine.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

/// Blocks whose load begins within so many cycles are played in one event. Other engines' requests of that time are
/// then behind them in the port's calendar: a bound on how far the order of requests can differ from that of a finer
/// model.
static constexpr uint64_t kLookahead = 2 * BandwidthCalendar::kQuantum;

void BlockEngine::begin(const PreparedCommand &command, uint64_t ready) {
  command_ = &command;
  run_ = 0;
  inRun_ = 0;
  ready_ = ready;
  rows_.begin(command, ready);
  rowsReady_ = command.cost.runs.empty() ? 0 : rows_.readyTime(command.cost.runs[0].inputRowsEnd);
}

/// When the next block may ask for its input, or, with its input resident, for its weights.
uint64_t BlockEngine::loadTime() {
  const bool loads = command_->cost.runs[run_].loadBytes != 0;
  return std::max({ready_, rowsReady_, loads ? slotFree_[slot_ ^ 1] : computeStart_});
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

void BlockEngine::play(const kernels::BlockRun &block, uint64_t asked) {
  BandwidthCalendar &port = job_.sramPort;
  const uint64_t latency = job_.target.sram().latencyCycles;
  if (block.loadBytes != 0)
    slot_ ^= 1;
  results_ ^= 1;

  const uint64_t loaded = port.reserve(asked, block.loadBytes);
  const uint64_t arrived = block.loadBytes ? loaded + latency : asked;
  const uint64_t streamBytes = block.streamBytes + block.weightBytes;
  const uint64_t streamed =
      streamBytes ? port.reserve(std::max(loaded, computeStart_), streamBytes) + latency : arrived;

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
  const uint64_t stored = port.reserve(outputStart, block.storeBytes);
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
  if (++run_ < command_->cost.runs.size())
    rowsReady_ = rows_.readyTime(command_->cost.runs[run_].inputRowsEnd);
}

} // namespace avocet::sim
