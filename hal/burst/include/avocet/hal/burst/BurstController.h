//===- BurstController.h - The client's end of a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An IBurst that writes requests into a queue and waits for results in another one. Packets name memories by slots: a
// memory with an identifier of the caller keeps its slot until it is released or destroyed; other memories get a slot
// for one execution. Slots that were freed last are used first. The peer is not trusted: its results are checked
// against the rules of outcomes, and a contradiction ends the burst. This class has no transport: the owner answers the
// peer's queries with memories(), and reports its death by close().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_BURSTCONTROLLER_H
#define AVOCET_HAL_BURST_BURSTCONTROLLER_H

#include "avocet/hal/burst/Burst.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

/// Reports a free slot to the peer. When it returns, the peer must have released the slot's memory, since the slot is
/// then reused. An error ends the burst. Must return within a bounded time.
using SlotReleaser = std::function<Outcome(int32_t slot)>;

/// Thread-safe. Calls after the peer's death answer DeadObject.
class BurstController final : public IBurst {
public:
  /// Makes the queues. `model` runs what a burst cannot carry.
  static Result<std::shared_ptr<BurstController>> create(std::shared_ptr<IPreparedModel> model, SlotReleaser release,
                                                         const BurstClientOptions &options = {});
  ~BurstController() override;

  const QueueDescriptor &requests() const;
  const QueueDescriptor &results() const;

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

  /// Answers the peer's getMemories: the memories of `slots`, in order. InvalidArgument: a slot is not in use.
  Result<std::vector<SharedMemory>> memories(std::span<const int32_t> slots) const;

  /// Ends the burst: calls that wait for the peer return at once. Any thread.
  void close();

  /// Executions that went through the queues, for counters.
  uint64_t numExecutions() const;

private:
  class Impl;
  explicit BurstController(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_BURSTCONTROLLER_H
