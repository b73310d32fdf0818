//===- FifoSemaphore.cpp - A semaphore in order of arrival ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/FifoSemaphore.h"

namespace avocet {

FifoSemaphore::Place FifoSemaphore::enter(const std::function<bool(const Sleep &)> &wait, uint32_t places) {
  std::unique_lock lock(mutex_);
  const auto own = waiting_.insert(waiting_.end(), 0);
  auto isMyTurn = [&] { return free_ >= places && own == waiting_.begin(); };
  const bool isIn = wait([&](std::chrono::nanoseconds time) { return changed_.wait_for(lock, time, isMyTurn); });
  waiting_.erase(own);
  free_ -= isIn ? places : 0;
  // The thread that is first now may have waited only to become the first.
  changed_.notify_all();
  return Place(isIn ? this : nullptr, places);
}

FifoSemaphore::Place::~Place() {
  if (semaphore_ == nullptr)
    return;
  {
    std::lock_guard lock(semaphore_->mutex_);
    semaphore_->free_ += places_;
  }
  semaphore_->changed_.notify_all();
}

} // namespace avocet
