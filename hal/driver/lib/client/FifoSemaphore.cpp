//===- FifoSemaphore.cpp - A FIFO semaphore for one client ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/FifoSemaphore.h"

namespace avocet::hal {

Result<FifoSemaphore::Turn> FifoSemaphore::enter(const CallLimit &limit) {
  AVOCET_ASSIGN_OR_RETURN(Turn turn, enterOwn(limit));
  if (all_ != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(FairSemaphore::Turn all, all_->enter(owner_, limit));
    turn.all_.emplace(std::move(all));
  }
  return turn;
}

Result<FifoSemaphore::Turn> FifoSemaphore::enterOwn(const CallLimit &limit) {
  std::unique_lock lock(mutex_);
  auto place = waiting_.insert(waiting_.end(), 0);
  auto isMyTurn = [&] { return isFirst(place); };
  const bool isIn = limit.await([&](Duration time) { return changed_.wait_for(lock, time, isMyTurn); });
  waiting_.erase(place);
  // The thread that is first now may have waited only to become the first.
  changed_.notify_all();
  if (!isIn)
    return limit.whyOver("while others of the client were served");
  --free_;
  return Turn(*this);
}

void FifoSemaphore::leave() {
  {
    std::lock_guard lock(mutex_);
    ++free_;
  }
  changed_.notify_all();
}

} // namespace avocet::hal
