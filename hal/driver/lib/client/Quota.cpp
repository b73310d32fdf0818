//===- Quota.cpp - Limits of a client's resources ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/Quota.h"

#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
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

bool Quota::tryTakeAlone(uint64_t amount) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (amount > limit_ - used)
      return false;
  } while (!used_.compare_exchange_weak(used, used + amount, std::memory_order_relaxed));
  return true;
}

/// The part of `used` beyond the client's own share.
uint64_t Quota::partOfWhole(uint64_t used) const { return std::max(used, whole_->share_) - whole_->share_; }

bool Quota::tryTake(uint64_t amount) {
  if (whole_ == nullptr)
    return tryTakeAlone(amount);
  std::lock_guard lock(mutex_);
  const uint64_t before = used();
  if (amount > limit_ - before)
    return false;
  const uint64_t part = partOfWhole(before + amount) - partOfWhole(before);
  if (part != 0 && !whole_->tryTakeAlone(part))
    return false;
  // The + 1 allows a single remaining item to be granted.
  if (part != 0 && partOfWhole(before + amount) > whole_->limit() - whole_->used() + 1) {
    whole_->giveBack(part);
    return false;
  }
  used_.store(before + amount, std::memory_order_relaxed);
  return true;
}

void Quota::giveBack(uint64_t amount) {
  if (whole_ == nullptr) {
    used_.fetch_sub(amount, std::memory_order_relaxed);
    return;
  }
  std::lock_guard lock(mutex_);
  const uint64_t before = used();
  used_.store(before - amount, std::memory_order_relaxed);
  whole_->giveBack(partOfWhole(before) - partOfWhole(before - amount));
}

Error Quota::refusal(uint64_t amount) const {
  if (whole_ != nullptr && amount <= limit_ - used())
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("quota: {} {} beyond the {} in use exceed what is left for one client; all clients use "
                             "{} of {}",
                             amount, what_, used(), whole_->used(), whole_->limit()));
  return error(
      ErrorStatus::ResourceExhaustedTransient,
      fmt::format("quota: {} {} beyond the {} in use exceed the client's limit, {}", amount, what_, used(), limit_));
}

Result<Charge> Quota::take(uint64_t amount) {
  if (amount > limit_)
    return verboseError(VerboseTag::Driver, "refused",
                        error(ErrorStatus::ResourceExhaustedPersistent,
                              fmt::format("quota: {} {} are more than the client's limit, {}", amount, what_, limit_)));
  bool isTaken = tryTake(amount);
  if (!isTaken && reclaim_) {
    verbose(VerboseTag::Memory, "{} {} exceed a quota: memory that models keep for later runs is freed", amount, what_);
    reclaim_();
    isTaken = tryTake(amount);
  }
  if (!isTaken)
    return verboseError(VerboseTag::Driver, "refused", refusal(amount));
  return Charge(shared_from_this(), amount);
}

} // namespace avocet::hal
