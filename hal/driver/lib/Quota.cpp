//===- Quota.cpp - What a client may have of one thing ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quota.h"

#include <fmt/core.h>

namespace avocet::hal {

Charge &Charge::operator=(Charge &&other) noexcept {
  if (this == &other)
    return *this;
  release();
  quota_ = std::move(other.quota_);
  amount_ = std::exchange(other.amount_, 0);
  return *this;
}

void Charge::release() {
  if (quota_ != nullptr)
    quota_->used_.fetch_sub(amount_, std::memory_order_relaxed);
  quota_.reset();
  amount_ = 0;
}

bool Quota::tryTake(uint64_t amount) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (amount > limit_ - used)
      return false;
  } while (!used_.compare_exchange_weak(used, used + amount, std::memory_order_relaxed));
  return true;
}

Result<Charge> Quota::take(uint64_t amount) {
  if (amount > limit_)
    return error(ErrorStatus::ResourceExhaustedPersistent,
                 fmt::format("quota: {} {} are more than the client's limit, {}", amount, what_, limit_));
  bool isTaken = tryTake(amount);
  if (!isTaken && reclaim_) {
    reclaim_();
    isTaken = tryTake(amount);
  }
  if (!isTaken)
    return error(
        ErrorStatus::ResourceExhaustedTransient,
        fmt::format("quota: {} {} beyond the {} in use exceed the client's limit, {}", amount, what_, used(), limit_));
  return Charge(shared_from_this(), amount);
}

} // namespace avocet::hal
