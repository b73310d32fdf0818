//===- FairSemaphore.cpp - A fair semaphore for all clients -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/FairSemaphore.h"

#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
#include <chrono>

namespace avocet::hal {
namespace {

/// Weight of the newest work item in the running mean.
constexpr double kNewestWeight = 0.25;

FairSemaphore::Seconds steadyNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

} // namespace

FairSemaphore::FairSemaphore(uint32_t places, std::function<Seconds()> now)
    : now_(now ? std::move(now) : steadyNow), free_(std::max(places, 1u)) {}

size_t FairSemaphore::numWaiting() const {
  std::lock_guard lock(mutex_);
  return waiting_.size();
}

/// An absent client neither accumulates credit nor pays again for time spent long before.
void FairSemaphore::arrive(uint32_t owner) {
  Account &account = accounts_.try_emplace(owner, Account{startOfNewcomer(), 0}).first->second;
  if (account.present++ != 0)
    return;
  account.spent = std::max(account.spent, startOfNewcomer());
  ++numPresent_;
}

void FairSemaphore::depart(uint32_t owner) {
  if (--accounts_[owner].present == 0)
    --numPresent_;
}

void FairSemaphore::forgetThoseAway() {
  std::erase_if(accounts_, [this](const auto &entry) {
    return entry.second.present == 0 && entry.second.spent <= startOfNewcomer();
  });
}

/// Charges an estimate at once, so that the client's next thread is not admitted for free.
void FairSemaphore::admit() {
  while (free_ != 0 && !waiting_.empty()) {
    auto next =
        std::ranges::min_element(waiting_, {}, [this](const Waiter *one) { return accounts_[one->owner].spent; });
    Waiter &waiter = **next;
    waiting_.erase(next);
    --free_;
    waiter.isIn = true;
    waiter.charged = estimate_;
    accounts_[waiter.owner].spent += waiter.charged;
    waiter.changed.notify_one();
  }
}

Result<FairSemaphore::Turn> FairSemaphore::enter(uint32_t owner, const CallLimit &limit) {
  std::unique_lock lock(mutex_);
  Waiter self{owner};
  arrive(owner);
  waiting_.push_back(&self);
  admit();
  const bool isIn = limit.awaitPresent([&](std::stop_token gone, Duration time) {
    return self.changed.wait_for(lock, std::move(gone), time, [&] { return self.isIn; });
  });
  if (!isIn) {
    waiting_.remove(&self);
    depart(owner);
    return limit.whyOver("while other clients were served");
  }
  return Turn(*this, owner, now_(), self.charged);
}

void FairSemaphore::leave(const Turn &turn) {
  const Seconds length = now_() - turn.start_;
  std::lock_guard lock(mutex_);
  estimate_ += kNewestWeight * (length - estimate_);
  accounts_[turn.owner_].spent += length - turn.charged_;
  fairTime_ += length / numPresent_;
  depart(turn.owner_);
  forgetThoseAway();
  ++free_;
  admit();
}

Result<CompilerTurns::Turn> CompilerTurns::enter(const CallLimit &limit) {
  const auto start = std::chrono::steady_clock::now();
  FifoSemaphore::Place place = own_.enter([&](const FifoSemaphore::Sleep &sleep) { return limit.await(sleep); });
  if (!place)
    return limit.whyOver("while others of the client were served");
  Turn turn(std::move(place));
  if (all_ != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(FairSemaphore::Turn all, all_->enter(owner_, limit));
    turn.all_.emplace(std::move(all));
  }
  verbose(VerboseTag::Compilation, "turn at the compiler after {:.1f} ms",
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return turn;
}

} // namespace avocet::hal
