//===- ConnectionSlots.cpp - How many connections a user may have -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConnectionSlots.h"

namespace avocet::hal {

bool ConnectionSlots::mayAcquire(uint32_t user, bool isOperator) const {
  const uint32_t free = limits_.total - allTaken_;
  if (isOperator)
    return free > 0;
  auto found = taken_.find(user);
  const uint32_t own = found == taken_.end() ? 0 : found->second;
  return own < limits_.perUser && own < free;
}

ConnectionSlots::Slot ConnectionSlots::acquire(uint32_t user, bool isOperator) {
  std::lock_guard lock(mutex_);
  if (!mayAcquire(user, isOperator))
    return nullptr;
  ++taken_[user];
  ++allTaken_;
  return {this, [user, self = shared_from_this()](const void *) { self->release(user); }};
}

ConnectionSlots::Slot ConnectionSlots::acquireReserved() {
  std::lock_guard lock(mutex_);
  if (reserveTaken_ >= limits_.reserve)
    return nullptr;
  ++reserveTaken_;
  return {this, [self = shared_from_this()](const void *) { self->releaseReserved(); }};
}

void ConnectionSlots::release(uint32_t user) {
  {
    std::lock_guard lock(mutex_);
    --allTaken_;
    if (--taken_[user] == 0)
      taken_.erase(user);
  }
  if (onFree_)
    onFree_();
}

void ConnectionSlots::releaseReserved() {
  {
    std::lock_guard lock(mutex_);
    --reserveTaken_;
  }
  if (onFree_)
    onFree_();
}

} // namespace avocet::hal
