//===- LayerTimes.cpp - Where the time of executions goes -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/LayerTimes.h"

#include "avocet/hal/types/Tracing.h"

#include <array>
#include <atomic>

namespace avocet::hal {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> isOn{false};
std::array<std::atomic<int64_t>, kNumTimeOwners> sums{}; ///< nanoseconds
std::atomic<int64_t> simulatedSum{0};
std::atomic<uint64_t> numJobs{0};

/// Of this thread.
struct OpenSpan {
  bool isThere = false;
  TimeOwner owner = TimeOwner::None;
  Clock::time_point since; ///< the sums have the time before
};
constinit thread_local OpenSpan innermost;

void settle(Clock::time_point now) {
  if (innermost.owner != TimeOwner::None)
    sums[static_cast<size_t>(innermost.owner)].fetch_add(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now - innermost.since).count(), std::memory_order_relaxed);
  innermost.since = now;
}

bool isExecution(TracePhase phase) {
  switch (phase) {
  case TracePhase::Execution:
  case TracePhase::InputsAndOutputs:
  case TracePhase::Transformation:
  case TracePhase::Computation:
  case TracePhase::Results:
    return true;
  default:
    return false;
  }
}

TimeOwner ownerOf(TraceLayer layer, TracePhase phase) {
  switch (layer) {
  case TraceLayer::Runtime:
    return TimeOwner::Library;
  case TraceLayer::Ipc:
    return TimeOwner::Ipc;
  case TraceLayer::Driver:
    return phase == TracePhase::Computation ? TimeOwner::Device : TimeOwner::Driver;
  case TraceLayer::Cpu:
    return TimeOwner::Cpu;
  default:
    return TimeOwner::None;
  }
}

/// A preparation is not counted, with all that it calls; and the CPU device uses the driver.
TimeOwner ownerWithin(TimeOwner enclosing, TraceLayer layer, TracePhase phase) {
  const TimeOwner own = ownerOf(layer, phase);
  const bool isClosed = enclosing == TimeOwner::None || enclosing == TimeOwner::Cpu || own == TimeOwner::None;
  return isClosed ? enclosing : own;
}

} // namespace

LayerTimer::LayerTimer(TraceLayer layer, TracePhase phase)
    : enclosing_(innermost.owner), isOutermost_(!innermost.isThere) {
  settle(Clock::now());
  if (isOutermost_)
    innermost.owner = isExecution(phase) ? ownerOf(layer, phase) : TimeOwner::None;
  else
    innermost.owner = ownerWithin(enclosing_, layer, phase);
  innermost.isThere = true;
}

LayerTimer::~LayerTimer() {
  settle(Clock::now());
  innermost.owner = isOutermost_ ? TimeOwner::None : enclosing_;
  innermost.isThere = !isOutermost_;
}

void LayerTimes::enable() { isOn.store(true, std::memory_order_relaxed); }

bool LayerTimes::isEnabled() { return isOn.load(std::memory_order_relaxed); }

void LayerTimes::addJob(std::chrono::nanoseconds simulated) {
  if (!isEnabled())
    return;
  simulatedSum.fetch_add(simulated.count(), std::memory_order_relaxed);
  numJobs.fetch_add(1, std::memory_order_relaxed);
}

std::map<std::string, int64_t> LayerTimes::toNames() const {
  return {{"library", library.count()}, {"ipc", ipc.count()}, {"driver", driver.count()},
          {"device", device.count()},   {"cpu", cpu.count()}, {"simulated", simulated.count()}};
}

LayerTimes LayerTimes::sum() {
  auto of = [](TimeOwner owner) {
    return std::chrono::nanoseconds(sums[static_cast<size_t>(owner)].load(std::memory_order_relaxed));
  };
  return {of(TimeOwner::Library),
          of(TimeOwner::Ipc),
          of(TimeOwner::Driver),
          of(TimeOwner::Device),
          of(TimeOwner::Cpu),
          std::chrono::nanoseconds(simulatedSum.load(std::memory_order_relaxed)),
          numJobs.load(std::memory_order_relaxed)};
}

} // namespace avocet::hal
