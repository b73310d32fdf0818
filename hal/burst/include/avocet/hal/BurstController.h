//===- BurstController.h - The end of a burst that asks -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An IBurst that writes requests into a queue and waits for results in another one. Memories travel as slots: a memory
// that the caller has an identifier for keeps its slot until it is released or gone, others get one for one execution.
// Slots that were freed last are used first. The peer is not trusted: its results are checked against the rules of
// outcomes, and a contradiction ends the burst. Nothing here knows how the peer is reached: whoever does answers its
// questions with memories(), and tells of its death by close().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURSTCONTROLLER_H
#define AVOCET_HAL_BURSTCONTROLLER_H

#include "avocet/hal/Burst.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

/// Tells the peer that a slot is free. When it returns, the peer must have forgotten the slot's memory, since the slot
/// is used again; an error ends the burst. Must end within a bound.
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

  /// The peer's getMemories: what is behind its slots, in their order. InvalidArgument: a slot is not in use.
  Result<std::vector<SharedMemory>> memories(std::span<const int32_t> slots) const;

  /// Ends the burst: who waits for the peer returns at once. Any thread.
  void close();

  /// Executions that went through the queues, for counters.
  uint64_t numExecutions() const;

private:
  class Impl;
  explicit BurstController(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURSTCONTROLLER_H
