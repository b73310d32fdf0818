//===- DeviceTime.cpp - How long the device works on streams ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Yield/DeviceTime.h"

#include "DmaTime.h"

#include "avocet/compiler/Support/Cancel.h"
#include "avocet/kernels/Kernel.h"

#include <algorithm>

namespace avocet::compiler {

using namespace firmware;

uint64_t engineCycles(const Target &target, const CommandBody &command) {
  if (const auto *dma = std::get_if<DmaCommand>(&command))
    return dmaTime(target, *dma).channelCycles;
  const kernels::Kernel *kernel = kernels::findKernel(command);
  return kernel && kernel->check(target, command).isOk() ? kernel->cost(target, command).cycles : 0;
}

namespace {

/// Plays the streams of one section; always runs the command that can start first.
class Player {
public:
  Player(CommandCosts &costs, const SyncedStreams &section)
      : costs_(costs), target_(costs.target()), signals_(section.semaphores) {
    for (const Stream &stream : section.streams)
      engines_.push_back({&stream});
  }

  uint64_t run() {
    for (Engine *next = earliest(); next && !isCancelled(); next = earliest())
      advance(*next);
    uint64_t end = 0;
    for (const Engine &engine : engines_)
      end = std::max(end, engine.completion);
    return end;
  }

private:
  static constexpr uint64_t kNever = UINT64_MAX;

  struct Engine {
    const Stream *stream;
    size_t position = 0;
    uint64_t free = 0;       ///< time at which the next command can start
    uint64_t completion = 0; ///< of the latest command
    const CommandBody &next() const { return stream->commands[position].command.body; }
    bool hasEnded() const { return position == stream->commands.size(); }
  };

  uint64_t startOf(const Engine &engine) const {
    if (engine.hasEnded())
      return kNever;
    const auto *wait = std::get_if<WaitCommand>(&engine.next());
    if (!wait || wait->value == 0)
      return engine.free;
    const std::vector<uint64_t> &signals = signals_[wait->semaphore];
    if (signals.size() < wait->value)
      return kNever;
    const uint64_t signalled = signals[wait->value - 1];
    return signalled < engine.free ? engine.free : signalled + target_.command().semaphoreCycles;
  }

  Engine *earliest() {
    Engine *best = nullptr;
    uint64_t bestStart = kNever;
    for (Engine &engine : engines_)
      if (uint64_t start = startOf(engine); start < bestStart)
        best = &engine, bestStart = start;
    return best;
  }

  void advance(Engine &engine) {
    engine.free = startOf(engine);
    const CommandBody &body = engine.next();
    ++engine.position;
    if (const auto *signal = std::get_if<SignalCommand>(&body))
      signals_[signal->semaphore].push_back(engine.completion);
    else if (const auto *dma = std::get_if<DmaCommand>(&body))
      transfer(engine, *dma);
    else
      engine.completion = engine.free += costs_.cycles(body);
  }

  void transfer(Engine &engine, const DmaCommand &dma) {
    const DmaTime time = dmaTime(target_, dma);
    const uint64_t start = std::max(engine.free, time.portCycles ? port_ : 0);
    if (time.portCycles)
      port_ = start + time.portCycles;
    engine.free = start + time.channelCycles;
    engine.completion = std::max(engine.completion, engine.free + time.latency);
  }

  CommandCosts &costs_;
  const Target &target_;
  std::vector<Engine> engines_;
  std::vector<std::vector<uint64_t>> signals_; ///< by semaphore: when each signal was performed
  uint64_t port_ = 0;                          ///< time at which the off-chip port is free
};

} // namespace

uint64_t predictCycles(CommandCosts &costs, const SyncedStreams &section) { return Player(costs, section).run(); }

} // namespace avocet::compiler
