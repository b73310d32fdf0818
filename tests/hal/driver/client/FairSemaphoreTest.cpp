//===- FairSemaphoreTest.cpp - Order in which clients pass the gate -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/FairSemaphore.h"
#include "client/Quota.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <thread>
#include <vector>

namespace avocet::hal {
namespace {

using namespace std::chrono_literals;

/// Threads wait at a gate; the test lets one of them leave at a time.
class FairSemaphoreTest : public ::testing::Test {
protected:
  explicit FairSemaphoreTest(uint32_t places = 1)
      : places_(places), gate_(places, [this] { return FairSemaphore::Seconds(now_.load()); }) {}
  ~FairSemaphoreTest() override { leaveAll(); }

  /// Starts a thread of the client; it has entered or waits when this returns.
  void arrive(uint32_t owner) {
    const size_t before = gate_.numWaiting();
    threads_.emplace_back([this, owner] {
      const CallLimit limit(clock_, {}, gone_.get_token());
      Result<FairSemaphore::Turn> turn = gate_.enter(owner, limit);
      if (!turn)
        return;
      std::unique_lock lock(mutex_);
      order_.push_back(owner);
      ++inside_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return leaving_ > 0 && leaver_.value_or(owner) == owner; });
      --leaving_;
      now_ = now_.load() + kLength;
    });
    if (threads_.size() <= places_)
      return awaitInside(threads_.size());
    while (gate_.numWaiting() == before)
      std::this_thread::yield();
  }
  void awaitInside(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ == count; });
  }
  /// Lets one thread leave (of the given client, if any), and waits until the next one has entered.
  void leave(std::optional<uint32_t> owner = {}) {
    size_t next = 0;
    {
      std::lock_guard lock(mutex_);
      leaver_ = owner;
      ++leaving_;
      next = inside_ + 1;
      changed_.notify_all();
    }
    if (next <= threads_.size())
      awaitInside(next);
  }
  void leaveAll() {
    {
      std::lock_guard lock(mutex_);
      leaver_.reset();
      leaving_ += threads_.size();
      changed_.notify_all();
    }
    threads_.clear();
  }

  static constexpr double kLength = 2.0; ///< seconds of the fake clock that each piece of work takes
  std::atomic<double> now_ = 0;
  DeadlineClock clock_;
  std::stop_source gone_;
  const uint32_t places_;
  FairSemaphore gate_;
  std::mutex mutex_; ///< guards the members below
  std::condition_variable changed_;
  std::vector<uint32_t> order_;    ///< clients in the order of entering
  size_t inside_ = 0;              ///< number that have entered
  size_t leaving_ = 0;             ///< number that may leave
  std::optional<uint32_t> leaver_; ///< set if only this client's work may leave
  std::vector<std::jthread> threads_;
};

TEST_F(FairSemaphoreTest, NewcomerWaitsForOneAndNotForQueue) {
  for (int i = 0; i < 6; ++i)
    arrive(1);
  arrive(2);
  leave();
  EXPECT_THAT(order_, ::testing::ElementsAre(1, 2));
}

TEST_F(FairSemaphoreTest, ClientsTakeTurns) {
  for (int i = 0; i < 4; ++i)
    arrive(1);
  for (int i = 0; i < 3; ++i)
    arrive(2);
  for (int i = 0; i < 6; ++i)
    leave();
  EXPECT_EQ(std::ranges::count(std::span(order_).first(6), 1u), 3);
}

class TwoPlaceGateTest : public FairSemaphoreTest {
protected:
  TwoPlaceGateTest() : FairSemaphoreTest(2) {}
};

/// The first work of client 1 is still inside when the second place becomes free.
TEST_F(TwoPlaceGateTest, WorkInsideCountsBeforeItEnds) {
  for (uint32_t owner : {3, 3, 1, 1, 2, 2})
    arrive(owner);
  leave(3);
  leave(3);
  EXPECT_THAT(order_, ::testing::ElementsAre(3, 3, 1, 2));
}

TEST_F(FairSemaphoreTest, LateClientTakesTurnsWithBusyClient) {
  for (int i = 0; i < 12; ++i)
    arrive(1);
  for (int i = 0; i < 8; ++i)
    leave();
  for (int i = 0; i < 6; ++i)
    arrive(2);
  for (int i = 0; i < 6; ++i)
    leave();
  EXPECT_LE(std::ranges::count(std::span(order_).last(6), 2u), 4) << "one ahead, then turns; not all of client 2 first";
}

TEST_F(FairSemaphoreTest, AbsentClientGainsNoCredit) {
  arrive(1);
  arrive(2);
  leave();
  for (int i = 0; i < 3; ++i)
    arrive(1);
  leave(); // client 2 has left
  for (int i = 0; i < 3; ++i)
    arrive(2);
  for (int i = 0; i < 4; ++i)
    leave();
  EXPECT_EQ(std::ranges::count(std::span(order_).last(4), 2u), 2) << "turns, and not all of client 2 first";
}

TEST_F(FairSemaphoreTest, NewcomerPassesClientsThatComeBack) {
  for (uint32_t client : {1, 2, 3})
    arrive(client);
  leave();
  arrive(1);
  leave();
  arrive(2);
  arrive(4);
  leave();
  EXPECT_THAT(order_, ::testing::ElementsAre(1, 2, 3, 4)) << "the others had one turn each";
}

TEST_F(FairSemaphoreTest, StreamOfNewcomersDelaysNoClientForLong) {
  arrive(1);
  arrive(2);
  leave();
  arrive(1);
  uint32_t newcomer = 3;
  for (int i = 0; i < 12; ++i) {
    arrive(newcomer++);
    leave();
  }
  EXPECT_EQ(std::ranges::count(order_, 1u), 2);
}

TEST_F(FairSemaphoreTest, StoppedClientStopsWaiting) {
  arrive(1);
  std::stop_source gone;
  std::optional<bool> isIn;
  {
    std::jthread waiting([&] { isIn = gate_.enter(2, CallLimit(clock_, {}, gone.get_token())).isOk(); });
    while (gate_.numWaiting() == 0)
      std::this_thread::yield();
    gone.request_stop();
  }
  EXPECT_EQ(isIn, false);
  EXPECT_EQ(gate_.numWaiting(), 0u);
}

TEST_F(FairSemaphoreTest, DeadlineEndsWaiting) {
  arrive(1);
  const CallLimit limit(clock_, clock_.now() + 5ms, gone_.get_token());
  EXPECT_EQ(gate_.enter(2, limit).code(), ErrorStatus::MissedDeadlineTransient);
}

TEST(SharedQuotaTest, OneClientLeavesAsMuchAsItTakes) {
  auto whole = std::make_shared<Quota>("bytes", 1000);
  auto first = std::make_shared<Quota>("bytes", 1000, whole), second = std::make_shared<Quota>("bytes", 1000, whole);
  EXPECT_EQ(first->take(900).code(), ErrorStatus::ResourceExhaustedTransient) << "in one piece as well";
  const Result<Charge> half = first->take(500);
  EXPECT_TRUE(half.isOk());
  EXPECT_FALSE(first->take(10).isOk());
  const Result<Charge> rest = second->take(250);
  EXPECT_TRUE(rest.isOk());
  EXPECT_FALSE(second->take(10).isOk());
  EXPECT_EQ(whole->used(), 750u);
}

TEST(SharedQuotaTest, ClientGetsItsShareWhenOthersTakeAll) {
  auto whole = std::make_shared<Quota>("bytes", 1000, nullptr, 100);
  std::vector<std::shared_ptr<Quota>> greedy;
  std::vector<Charge> charges;
  for (int i = 0; i < 20; ++i) {
    greedy.push_back(std::make_shared<Quota>("bytes", 2000, whole));
    for (Result<Charge> more = greedy.back()->take(10); more; more = greedy.back()->take(10))
      charges.push_back(std::move(*more));
    EXPECT_GE(greedy.back()->used(), 100u);
  }
  auto modest = std::make_shared<Quota>("bytes", 2000, whole);
  {
    const Result<Charge> share = modest->take(100);
    EXPECT_TRUE(share.isOk());
    EXPECT_EQ(modest->take(100).code(), ErrorStatus::ResourceExhaustedTransient);
  }
  charges.clear();
  EXPECT_EQ(whole->used(), 0u);
}

TEST(SharedQuotaTest, SingleObjectCanBeTaken) {
  auto whole = std::make_shared<Quota>("contexts", 1);
  auto client = std::make_shared<Quota>("models", 10, whole);
  EXPECT_TRUE(client->take(1).isOk());
}

} // namespace
} // namespace avocet::hal
