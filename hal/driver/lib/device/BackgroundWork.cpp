//===- BackgroundWork.cpp - Work without a waiting caller --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/BackgroundWork.h"

#include <sys/resource.h>

namespace avocet::hal {

/// Niceness is a property of the thread on Linux. SCHED_IDLE could keep a lock of the allocator from other threads for
/// as long as the processors are busy. Failure is ignored: only speed depends on it.
static void lowerPriorityOfThread() {
  constexpr int kMostNice = 19;
  thread_local const bool kIsLow = ::setpriority(PRIO_PROCESS, 0, kMostNice) == 0;
  (void)kIsLow;
}

bool BackgroundWork::Shared::enter(uint32_t owner) {
  std::lock_guard lock(mutex);
  size_t &count = tasks[owner];
  if (count == kMaxTasksOfClient)
    return false;
  ++count;
  return true;
}

void BackgroundWork::Shared::leave(uint32_t owner) {
  std::lock_guard lock(mutex);
  if (auto found = tasks.find(owner); --found->second == 0)
    tasks.erase(found);
}

bool BackgroundWork::post(uint32_t owner, std::function<void()> task) {
  if (!shared_->enter(owner))
    return false;
  // The task may hold the last reference to this object, and is destroyed before the client's place is released.
  auto counted = [shared = shared_, owner, isLow = isLowPriority_, task = std::move(task)]() mutable {
    if (isLow)
      lowerPriorityOfThread();
    task();
    task = nullptr;
    shared->leave(owner);
  };
  const std::shared_ptr<Shared> shared = shared_;
  if (pool_.post(std::move(counted)))
    return true;
  shared->leave(owner);
  return false;
}

} // namespace avocet::hal
