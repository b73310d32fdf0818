//===- BurstExecution.h - Repeated executions with kept bindings -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_BURSTEXECUTION_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_BURSTEXECUTION_H

#include "avocet/runtime/PowerControl.h"
#include "model/PreparedModel.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::hal {

/// Keeps checked and bound requests, each with its job, as long as their memories have identifiers: a repeated request
/// needs no mapping, binding or checks. Runs on the calling thread. As long as it exists, the device stays awake, at
/// the clock level of the model's preference or a faster one.
class BurstExecution final : public IBurst {
public:
  /// Most kept requests; clients alternate between a few (double buffering). The least recently used one is evicted.
  static constexpr size_t kMaxRequests = 4;
  /// Most kept memories. Beyond it the least recently used one is evicted, as if it had been released.
  static constexpr size_t kMaxMemories = 256;

  explicit BurstExecution(std::shared_ptr<PreparedModel> model);

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

private:
  using Identifiers = std::vector<int64_t>;
  struct KnownMemory {
    SharedMemory memory;
    uint64_t lastUse = 0;
  };
  struct KeptRequest {
    Identifiers identifiers;
    std::shared_ptr<const BoundRequest> bound;
    PinnedPools pinned; ///< of the running or the last execution
  };

  Result<std::shared_ptr<KeptRequest>> find(const Request &request, const Identifiers &identifiers,
                                            const ExecutionOptions &options);
  Outcome checkMemories(const Request &request, const Identifiers &identifiers);
  std::shared_ptr<KeptRequest> findKept(const Request &request, const Identifiers &identifiers);
  void keep(std::shared_ptr<KeptRequest> request);
  void makeRoom();
  void forget(int64_t identifier);

  const std::shared_ptr<PreparedModel> model_;
  const runtime::PowerControl::Hold hold_; ///< of the model's device
  std::atomic<bool> isRunning_{false};
  std::mutex mutex_; ///< guards the members below; not held while a request runs
  std::unordered_map<int64_t, KnownMemory> memories_;
  std::vector<std::shared_ptr<KeptRequest>> requests_; ///< the most recently used one last
  uint64_t numUses_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_BURSTEXECUTION_H
