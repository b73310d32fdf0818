//===- FencedRegistry.h - The fences of a device's executions ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDREGISTRY_H
#define AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDREGISTRY_H

#include "avocet/hal/types/SyncFence.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace avocet::hal {

class ClientState;
class FencedExecution;

/// The fenced executions of a device that have not ended, by their fences. One for all clients: a client that passes a
/// fence holds its descriptor anyway, and learns no more than the descriptor shows. Thread-safe.
class FencedRegistry {
public:
  using Identity = std::pair<uint64_t, uint64_t>;

  struct Entry {
    std::weak_ptr<FencedExecution> execution;
    const ClientState *client = nullptr;
  };
  void add(Identity fence, Entry entry) {
    std::lock_guard lock(mutex_);
    executions_[fence] = std::move(entry);
  }
  void remove(Identity fence) {
    std::lock_guard lock(mutex_);
    executions_.erase(fence);
  }
  /// Null for foreign fences and for executions that have ended.
  std::shared_ptr<FencedExecution> find(const SyncFence &fence) const {
    auto identity = fence.identity();
    std::lock_guard lock(mutex_);
    auto found = identity ? executions_.find(*identity) : executions_.end();
    return found == executions_.end() ? nullptr : found->second.execution.lock();
  }
  /// The executions of one client.
  std::vector<std::shared_ptr<FencedExecution>> findAll(const ClientState &client) const {
    std::vector<std::shared_ptr<FencedExecution>> found;
    std::lock_guard lock(mutex_);
    for (const auto &[identity, entry] : executions_)
      if (entry.client == &client)
        if (std::shared_ptr<FencedExecution> execution = entry.execution.lock())
          found.push_back(std::move(execution));
    return found;
  }

private:
  mutable std::mutex mutex_; ///< a leaf
  std::map<Identity, Entry> executions_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDREGISTRY_H
