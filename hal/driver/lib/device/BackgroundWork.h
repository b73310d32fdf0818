//===- BackgroundWork.h - Work without a waiting caller ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_BACKGROUNDWORK_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_BACKGROUNDWORK_H

#include "avocet/base/WorkerPool.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace avocet::hal {

/// One thread for all clients of a device, and a bounded queue: writing of cache files and compilations in the
/// background. The destructor runs all tasks that wait, so a task whose work is no longer needed must end by itself.
/// Thread-safe.
class BackgroundWork {
public:
  static constexpr size_t kMaxTasks = 64;         ///< that wait
  static constexpr size_t kMaxTasksOfClient = 16; ///< that wait or run

  /// `isLowPriority`: the thread computes itself, and gets the processor only when no other thread needs it much.
  explicit BackgroundWork(bool isLowPriority)
      : isLowPriority_(isLowPriority), shared_(std::make_shared<Shared>()), pool_(1, kMaxTasks) {}

  /// False, without effect: too many tasks wait, or no thread can be started. Tasks must not throw, and own all that
  /// they use.
  bool post(uint32_t owner, std::function<void()> task);

private:
  struct Shared {
    std::mutex mutex;                 ///< guards `tasks`; a leaf
    std::map<uint32_t, size_t> tasks; ///< by client
    bool enter(uint32_t owner);
    void leave(uint32_t owner);
  };

  const bool isLowPriority_;
  const std::shared_ptr<Shared> shared_; ///< tasks may outlive this object
  WorkerPool pool_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_BACKGROUNDWORK_H
