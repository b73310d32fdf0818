//===- TurnGate.cpp - A few at a time, in the order of arrival --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TurnGate.h"

#include "CompilerGate.h"

namespace avocet::hal {

Result<TurnGate::Turn> TurnGate::enter(const OptionalTimePoint &deadline) {
  std::unique_lock lock(mutex_);
  auto place = waiting_.insert(waiting_.end(), 0);
  auto isMyTurn = [&] { return isFirst(place); };
  bool isIn = true;
  if (!deadline)
    changed_.wait(lock, isMyTurn);
  else
    isIn = changed_.wait_for(lock, timeLeft(*deadline), isMyTurn);
  waiting_.erase(place);
  // Whoever is first now may have been waiting for this place in the line only.
  changed_.notify_all();
  if (!isIn)
    return error(ErrorStatus::MissedDeadlineTransient, "the deadline passed while others of the client were served");
  --free_;
  return Turn(*this);
}

void TurnGate::leave() {
  {
    std::lock_guard lock(mutex_);
    ++free_;
  }
  changed_.notify_all();
}

} // namespace avocet::hal
