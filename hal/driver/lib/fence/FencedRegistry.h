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

namespace avocet::hal {

class FencedExecution;

/// The fenced executions of a device that have not ended, by their fences. One for all clients: a client that passes a
/// fence holds its descriptor anyway, and learns no more than the descriptor shows. Thread-safe.
class FencedRegistry {
public:
  using Identity = std::pair<uint64_t, uint64_t>;

  void add(Identity fence, std::weak_ptr<FencedExecution> execution) {
    std::lock_guard lock(mutex_);
    executions_[fence] = std::move(execution);
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
    return found == executions_.end() ? nullptr : found->second.lock();
  }

private:
  mutable std::mutex mutex_; ///< a leaf
  std::map<Identity, std::weak_ptr<FencedExecution>> executions_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDREGISTRY_H
