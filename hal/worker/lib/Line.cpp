//===- Line.cpp - A FIFO semaphore with cancellation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Line.h"

#include <chrono>

namespace avocet::hal {
namespace {

constexpr std::chrono::milliseconds kStep(5);

} // namespace

Line::Place Line::enter(const std::function<bool()> &cancelled) {
  std::unique_lock lock(mutex_);
  const auto own = waiting_.insert(waiting_.end(), 0);
  auto isMyTurn = [&] { return free_ != 0 && own == waiting_.begin(); };
  bool isIn = isMyTurn();
  for (bool gaveUp = false; !isIn && !gaveUp; isIn = changed_.wait_for(lock, kStep, isMyTurn))
    gaveUp = cancelled && cancelled();
  waiting_.erase(own);
  free_ -= isIn;
  // The next thread may have waited only to become the first.
  changed_.notify_all();
  return Place(isIn ? this : nullptr);
}

Line::Place::~Place() {
  if (line_ == nullptr)
    return;
  {
    std::lock_guard lock(line_->mutex_);
    ++line_->free_;
  }
  line_->changed_.notify_all();
}

} // namespace avocet::hal
