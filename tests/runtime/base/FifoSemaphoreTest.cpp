//===- FifoSemaphoreTest.cpp - A semaphore in order of arrival ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/FifoSemaphore.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace avocet {
namespace {

using namespace std::chrono_literals;

bool waitForever(const FifoSemaphore::Sleep &sleep) {
  while (!sleep(1ms))
    ;
  return true;
}

bool lookOnce(const FifoSemaphore::Sleep &sleep) { return sleep(0ns); }

TEST(FifoSemaphoreTest, AdmitsAsManyAsThereArePlaces) {
  FifoSemaphore two(2);
  auto first = two.enter(lookOnce);
  auto second = two.enter(lookOnce);
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(two.enter(lookOnce));
}

TEST(FifoSemaphoreTest, ReleasedPlaceIsFree) {
  FifoSemaphore one(1);
  std::optional<FifoSemaphore::Place> first(one.enter(lookOnce));
  FifoSemaphore::Place moved(std::move(*first));
  first.reset();
  EXPECT_FALSE(one.enter(lookOnce)); // the moved place still holds it
  {
    FifoSemaphore::Place last(std::move(moved));
  }
  EXPECT_TRUE(one.enter(lookOnce));
}

TEST(FifoSemaphoreTest, ZeroPlacesAreOne) {
  FifoSemaphore none(0);
  EXPECT_TRUE(none.enter(lookOnce));
}

TEST(FifoSemaphoreTest, WaitersEnterInOrderOfArrival) {
  FifoSemaphore one(1);
  std::optional<FifoSemaphore::Place> first(one.enter(lookOnce));
  std::vector<int> order;
  std::atomic<int> arrived{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      auto place = one.enter([&](const FifoSemaphore::Sleep &sleep) {
        ++arrived;
        return waitForever(sleep);
      });
      order.push_back(i);
    });
    while (arrived != i + 1)
      std::this_thread::yield();
  }
  first.reset();
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(FifoSemaphoreTest, WaitsForSeveralPlaces) {
  FifoSemaphore four(4);
  std::optional<FifoSemaphore::Place> three(four.enter(lookOnce, 3));
  EXPECT_TRUE(*three);
  EXPECT_FALSE(four.enter(lookOnce, 2));
  EXPECT_TRUE(four.enter(lookOnce, 1));
  three.reset();
  EXPECT_TRUE(four.enter(lookOnce, 4));
}

TEST(FifoSemaphoreTest, WaiterForOneComesAfterOneForMany) {
  FifoSemaphore two(2);
  std::optional<FifoSemaphore::Place> one(two.enter(lookOnce));
  std::atomic<bool> hasArrived{false}, isIn{false};
  std::thread many([&] {
    const auto places = two.enter(
        [&](const FifoSemaphore::Sleep &sleep) {
          hasArrived = true;
          return waitForever(sleep);
        },
        2);
    isIn = static_cast<bool>(places);
  });
  while (!hasArrived)
    std::this_thread::yield();
  EXPECT_FALSE(two.enter(lookOnce)) << "one place is free, but another waits for it";
  EXPECT_FALSE(isIn);
  one.reset();
  many.join();
  EXPECT_TRUE(isIn);
}

TEST(FifoSemaphoreTest, WaiterThatGivesUpLetsTheNextIn) {
  FifoSemaphore one(1);
  std::optional<FifoSemaphore::Place> first(one.enter(lookOnce));
  std::atomic<bool> givesUp{false}, isIn{true};
  std::atomic<int> arrived{0};
  std::thread impatient([&] {
    auto place = one.enter([&](const FifoSemaphore::Sleep &sleep) {
      ++arrived;
      bool isTurn = false;
      while (!isTurn && !givesUp)
        isTurn = sleep(1ms);
      return isTurn;
    });
    isIn = static_cast<bool>(place);
  });
  while (arrived != 1)
    std::this_thread::yield();
  std::thread next([&] {
    auto place = one.enter([&](const FifoSemaphore::Sleep &sleep) {
      ++arrived;
      return waitForever(sleep);
    });
  });
  while (arrived != 2)
    std::this_thread::yield();
  givesUp = true;
  impatient.join();
  first.reset();
  next.join();
  EXPECT_FALSE(isIn);
  EXPECT_TRUE(one.enter(lookOnce));
}

} // namespace
} // namespace avocet
