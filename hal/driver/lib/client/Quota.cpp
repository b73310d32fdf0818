//===- Quota.cpp - What a client may have of one thing ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/Quota.h"

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
    quota_->giveBack(amount_);
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

void Quota::giveBack(uint64_t amount) {
  used_.fetch_sub(amount, std::memory_order_relaxed);
  if (whole_ != nullptr)
    whole_->giveBack(amount);
}

bool Quota::tryTakeBoth(uint64_t amount) {
  if (!tryTake(amount))
    return false;
  if (whole_ == nullptr)
    return true;
  if (!whole_->tryTake(amount)) {
    used_.fetch_sub(amount, std::memory_order_relaxed);
    return false;
  }
  if (used() <= whole_->limit() - whole_->used() + amount)
    return true;
  giveBack(amount);
  return false;
}

Error Quota::refusal(uint64_t amount) const {
  if (whole_ != nullptr && amount <= limit_ - used())
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("quota: {} {} beyond the {} in use are more than there is left for one client; all have "
                             "{} of {}",
                             amount, what_, used(), whole_->used(), whole_->limit()));
  return error(
      ErrorStatus::ResourceExhaustedTransient,
      fmt::format("quota: {} {} beyond the {} in use exceed the client's limit, {}", amount, what_, used(), limit_));
}

Result<Charge> Quota::take(uint64_t amount) {
  if (amount > limit_)
    return error(ErrorStatus::ResourceExhaustedPersistent,
                 fmt::format("quota: {} {} are more than the client's limit, {}", amount, what_, limit_));
  bool isTaken = tryTakeBoth(amount);
  if (!isTaken && reclaim_) {
    reclaim_();
    isTaken = tryTakeBoth(amount);
  }
  if (!isTaken)
    return refusal(amount);
  return Charge(shared_from_this(), amount);
}

} // namespace avocet::hal
