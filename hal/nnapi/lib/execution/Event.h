//===- Event.h - The end of a computation ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_EXECUTION_EVENT_H
#define AVOCET_HAL_NNAPI_LIB_EXECUTION_EVENT_H

#include "api/ApiResult.h"

#include "avocet/hal/types/SyncFence.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace avocet::nnapi {

/// ANeuralNetworksEvent. Thread-safe.
class Event {
public:
  /// Ends with complete(). `fence`: signals at the same time, if given.
  explicit Event(std::optional<hal::SyncFence> fence = {}) : fence_(std::move(fence)) {}
  /// Ends with a fence of the application.
  static ApiResult<std::shared_ptr<Event>> fromDescriptor(int fd);

  void complete(ApiOutcome outcome);
  /// Waits; the outcome of the computation.
  ApiOutcome wait();

  /// The fence of the event; empty: it has none.
  const std::optional<hal::SyncFence> &fence() const { return fence_; }
  /// A new descriptor of the fence. BAD_DATA: there is none.
  ApiResult<int> duplicateFence() const;

private:
  const std::optional<hal::SyncFence> fence_;
  bool isForeign_ = false; ///< ends with the fence itself
  std::mutex mutex_;       ///< guards the member below
  std::condition_variable completed_;
  std::optional<ApiOutcome> outcome_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_EXECUTION_EVENT_H
