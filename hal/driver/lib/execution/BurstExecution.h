//===- BurstExecution.h - Executions in quick succession -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_BURSTEXECUTION_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_BURSTEXECUTION_H

#include "model/PreparedModel.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::hal {

/// Keeps requests that were checked and bound, each with its job, as long as their memories have identifiers: one that
/// comes again maps, binds and checks nothing. Runs on the calling thread. The device has no states of power or clock
/// that a burst could hold; what it keeps warm is memory.
class BurstExecution final : public IBurst {
public:
  /// Requests that are kept; clients alternate between a few (double buffering). The least recently used one goes.
  static constexpr size_t kMaxRequests = 4;
  /// Memories that are kept. Beyond it the least recently used one is forgotten, as if it had been released.
  static constexpr size_t kMaxMemories = 256;

  explicit BurstExecution(std::shared_ptr<PreparedModel> model) : model_(std::move(model)) {}

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
    PinnedPools pinned; ///< of the execution that runs, or of the last one
  };

  Result<std::shared_ptr<KeptRequest>> find(const Request &request, const Identifiers &identifiers,
                                            const ExecutionOptions &options);
  Outcome checkMemories(const Request &request, const Identifiers &identifiers);
  std::shared_ptr<KeptRequest> findKept(const Request &request, const Identifiers &identifiers);
  void keep(std::shared_ptr<KeptRequest> request);
  void makeRoom();
  void forget(int64_t identifier);

  const std::shared_ptr<PreparedModel> model_;
  std::atomic<bool> isRunning_{false};
  std::mutex mutex_; ///< guards what follows; not held while a request runs
  std::unordered_map<int64_t, KnownMemory> memories_;
  std::vector<std::shared_ptr<KeptRequest>> requests_; ///< the most recently used one last
  uint64_t numUses_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_BURSTEXECUTION_H
