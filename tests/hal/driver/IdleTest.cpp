//===- IdleTest.cpp - Release of memory that is not in use ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "device/IdleWatch.h"

#include <atomic>
#include <functional>
#include <future>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

struct FakeClock {
  std::shared_ptr<std::atomic<int64_t>> now = std::make_shared<std::atomic<int64_t>>(int64_t{1} << 40);
  Clock function() const {
    return [now = now] { return TimePoint(Duration(*now)); };
  }
  void advance(Duration by) { *now += by.count(); }
};

struct Holder final : Trimmable {
  std::atomic<size_t> held = 1;
  std::atomic<int64_t> lastUse = int64_t{1} << 40;
  TrimRegistration registration{*this};
  size_t trim(TimePoint before) override {
    if (TimePoint(Duration(lastUse)) < before)
      held = 0;
    return held;
  }
};

TEST(IdleWatchTest, TrimsAfterTimeoutWithoutUse) {
  FakeClock clock;
  IdleWatch watch(std::chrono::seconds(10), clock.function());
  auto holder = std::make_shared<Holder>();
  watch.add(holder->registration.handle());
  EXPECT_EQ(watch.sweep(), 1u);
  clock.advance(std::chrono::seconds(9));
  EXPECT_EQ(watch.sweep(), 1u);
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(watch.sweep(), 0u);
}

TEST(IdleWatchTest, OwnThreadTrims) {
  FakeClock clock;
  IdleWatch watch(std::chrono::milliseconds(2), clock.function());
  auto holder = std::make_shared<Holder>();
  clock.advance(std::chrono::seconds(1));
  watch.add(holder->registration.handle());
  while (holder->held != 0)
    std::this_thread::yield();
  holder->lastUse = clock.now->load();
  holder->held = 1;
  clock.advance(std::chrono::seconds(1));
  while (holder->held != 0) {
    watch.touch();
    std::this_thread::yield();
  }
}

TEST(IdleWatchTest, DropsDestroyedObjects) {
  IdleWatch watch(std::chrono::seconds(1), {});
  watch.add(Holder().registration.handle());
  EXPECT_EQ(watch.sweep(), 0u);
}

/// Calls a function while it is trimmed.
struct SlowHolder final : Trimmable {
  std::function<void()> whileTrimmed;
  TrimRegistration registration{*this};
  size_t trim(TimePoint) override {
    whileTrimmed();
    return 0;
  }
};

// The counters of a client that has gone must not depend on what the watch does at that moment.
TEST(IdleWatchTest, DestructionOfAnObjectWaitsForItsTrim) {
  std::promise<void> isTrimmed, mayEnd;
  std::atomic<bool> hasEnded = false;
  auto holder = std::make_unique<SlowHolder>();
  holder->whileTrimmed = [&] {
    isTrimmed.set_value();
    mayEnd.get_future().wait();
    hasEnded = true;
  };
  IdleWatch watch(std::chrono::hours(1), {});
  watch.add(holder->registration.handle());
  isTrimmed.get_future().wait();
  std::thread destroyer([&] {
    holder.reset();
    EXPECT_TRUE(hasEnded);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // in which an object that does not wait is destroyed
  mayEnd.set_value();
  destroyer.join();
}

using IdleModelTest = DeviceFixture;

TEST_F(IdleModelTest, RunsAgainAfterIdleTimeout) {
  FakeClock clock;
  DriverOptions options;
  options.clock = clock.function();
  options.idleTimeout = std::chrono::milliseconds(1);
  open(options);
  auto prepared = prepare(addModel({2}));
  TestPool inputs(16), outputs(8);
  inputs.as<float>()[1] = 7;
  Request request = requestOf({8, 8}, {8}, inputs, outputs);
  for (int run = 0; run < 5; ++run) {
    ASSERT_TRUE(prepared->execute(request, {}).isOk());
    EXPECT_EQ(outputs.as<float>()[1], 7);
    clock.advance(std::chrono::seconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

} // namespace
} // namespace avocet::hal
