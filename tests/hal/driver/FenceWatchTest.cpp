//===- FenceWatchTest.cpp - One thread that waits for all fences ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fence/FenceWatch.h"
#include "FakeClock.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <future>
#include <optional>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using End = FenceWatch::End;
using std::chrono::milliseconds;

struct Pair {
  SyncFence fence;
  FenceSignaler signaler;
};

Pair makeFence() {
  auto made = FenceSignaler::create();
  EXPECT_TRUE(made.isOk());
  return {std::move(made->first), std::move(made->second)};
}

/// Passes a callback's argument to the waiting thread. A second call would throw.
class Ending {
public:
  FenceWatch::Callback callback() {
    return [this](End end) { promise_.set_value(end); };
  }
  End get() { return future_.get(); }
  bool hasCome() const { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

private:
  std::promise<End> promise_;
  std::future<End> future_ = promise_.get_future();
};

class FenceWatchTest : public ::testing::Test {
protected:
  /// Returns after the watch has processed all earlier events.
  void settle() {
    for (int round = 0; round < 2; ++round) {
      std::promise<void> reached;
      watch_->post([&] { reached.set_value(); });
      reached.get_future().wait();
    }
  }
  FenceWatch::Ticket await(std::vector<SyncFence> fences, Ending &ending, const OptionalTimePoint &limit = {}) {
    auto ticket = watch_->await(fences, limit, ending.callback());
    EXPECT_TRUE(ticket.isOk()) << ticket.error().message;
    return ticket ? *ticket : 0;
  }

  FakeClock clock_;
  std::optional<FenceWatch> watch_{std::in_place, DeadlineClock(clock_.function()), 8};
};

TEST_F(FenceWatchTest, CallsBackWhenAllHaveSignaled) {
  auto [first, one] = makeFence();
  auto [second, two] = makeFence();
  Ending ending;
  await({first, SyncFence(), second}, ending);
  two.signal();
  settle();
  EXPECT_FALSE(ending.hasCome());
  one.signal();
  EXPECT_EQ(ending.get(), End::Signaled);
  EXPECT_EQ(watch_->numFences(), 0u);
}

TEST_F(FenceWatchTest, CallsBackAtFirstError) {
  auto [first, one] = makeFence();
  auto [second, two] = makeFence();
  Ending ending;
  await({first, second}, ending);
  two.fail();
  EXPECT_EQ(ending.get(), End::Failed);
  EXPECT_EQ(watch_->numFences(), 0u);
}

TEST_F(FenceWatchTest, CallsBackForDecidedFences) {
  auto [good, one] = makeFence();
  one.signal();
  Ending nothing, before;
  await({}, nothing);
  await({good, good}, before);
  EXPECT_EQ(nothing.get(), End::Signaled);
  EXPECT_EQ(before.get(), End::Signaled);
  auto bad = makeFence().fence;
  Ending failed;
  await({bad}, failed);
  EXPECT_EQ(failed.get(), End::Failed);
}

TEST_F(FenceWatchTest, ManyWaitsShareOneFence) {
  auto [fence, signaler] = makeFence();
  Ending endings[3];
  for (Ending &ending : endings)
    await({fence}, ending);
  signaler.signal();
  for (Ending &ending : endings)
    EXPECT_EQ(ending.get(), End::Signaled);
}

TEST_F(FenceWatchTest, WatchesEventDescriptorsAndPipes) {
  auto event = std::make_shared<const FileDescriptor>(FileDescriptor(::eventfd(0, EFD_CLOEXEC)));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  auto reader = std::make_shared<const FileDescriptor>(FileDescriptor(ends[0]));
  FileDescriptor writer(ends[1]);
  Ending signaled, hungUp;
  await({*SyncFence::adopt(event)}, signaled);
  await({*SyncFence::adopt(reader)}, hungUp);
  uint64_t one = 1;
  ASSERT_EQ(::write(event->get(), &one, sizeof(one)), ssize_t(sizeof(one)));
  EXPECT_EQ(signaled.get(), End::Signaled);
  writer.reset();
  EXPECT_EQ(hungUp.get(), End::Failed);
}

TEST_F(FenceWatchTest, ClientMayCloseItsDescriptor) {
  auto made = makeFence();
  Ending ending;
  await({made.fence}, ending);
  made.fence = SyncFence();
  made.signaler.signal();
  EXPECT_EQ(ending.get(), End::Signaled);
}

TEST_F(FenceWatchTest, LimitEndsWait) {
  auto [fence, signaler] = makeFence();
  Ending early, late;
  await({fence}, early, clock_.now() + milliseconds(10));
  await({fence}, late, clock_.now() + milliseconds(20));
  settle();
  EXPECT_FALSE(early.hasCome());
  clock_.advance(milliseconds(10));
  EXPECT_EQ(early.get(), End::TimedOut);
  EXPECT_FALSE(late.hasCome());
  signaler.signal();
  EXPECT_EQ(late.get(), End::Signaled);
}

TEST_F(FenceWatchTest, PassedLimitEndsWaitAtOnce) {
  auto [fence, signaler] = makeFence();
  Ending ending;
  await({fence}, ending, clock_.now());
  EXPECT_EQ(ending.get(), End::TimedOut);
}

TEST_F(FenceWatchTest, TimersExpireInOrder) {
  std::vector<int> order;
  Ending last;
  ASSERT_TRUE(watch_->at(clock_.now() + milliseconds(7), last.callback()).isOk());
  ASSERT_TRUE(watch_->at(clock_.now() + milliseconds(5), [&](End) { order.push_back(2); }).isOk());
  ASSERT_TRUE(watch_->at(clock_.now() + milliseconds(3), [&](End) { order.push_back(1); }).isOk());
  clock_.advance(milliseconds(7));
  EXPECT_EQ(last.get(), End::TimedOut);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(FenceWatchTest, CancelledWaitIsNeverCalled) {
  auto [fence, signaler] = makeFence();
  bool wasCalled = false;
  auto ticket = watch_->await(std::vector{fence}, clock_.now() + milliseconds(5), [&](End) { wasCalled = true; });
  ASSERT_TRUE(ticket.isOk());
  EXPECT_TRUE(watch_->cancel(*ticket));
  EXPECT_FALSE(watch_->cancel(*ticket));
  EXPECT_FALSE(watch_->cancel(0));
  signaler.signal();
  clock_.advance(milliseconds(5));
  settle();
  EXPECT_FALSE(wasCalled);
  EXPECT_EQ(watch_->numFences(), 0u);
}

TEST_F(FenceWatchTest, RejectsFencesAboveLimit) {
  std::vector<Pair> pairs;
  std::vector<SyncFence> fences;
  for (int i = 0; i < 9; ++i) {
    pairs.push_back(makeFence());
    fences.push_back(pairs.back().fence);
  }
  auto refused = watch_->await(fences, {}, [](End) { FAIL(); });
  EXPECT_EQ(refused.code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_EQ(watch_->numFences(), 0u);
  fences.pop_back();
  Ending ending;
  await(fences, ending);
  for (Pair &pair : pairs)
    pair.signaler.signal();
  EXPECT_EQ(ending.get(), End::Signaled);
}

TEST_F(FenceWatchTest, CallbacksMayUseTheWatch) {
  auto [fence, signaler] = makeFence();
  Ending inner;
  auto outer = watch_->await(std::vector{fence}, {}, [&](End) { await({fence}, inner); });
  ASSERT_TRUE(outer.isOk());
  signaler.signal();
  EXPECT_EQ(inner.get(), End::Signaled);
}

TEST_F(FenceWatchTest, EndsWithWaitersAndFromItsOwnThread) {
  auto [fence, signaler] = makeFence();
  auto token = std::make_shared<int>(0);
  ASSERT_TRUE(watch_->await(std::vector{fence}, {}, [token](End) { FAIL(); }).isOk());
  watch_.reset();
  EXPECT_EQ(token.use_count(), 1);

  auto own = std::make_shared<std::optional<FenceWatch>>();
  own->emplace(DeadlineClock());
  std::promise<void> gone;
  (*own)->post([&gone, own = own.get()] {
    own->reset();
    gone.set_value();
  });
  gone.get_future().wait();
}

} // namespace
} // namespace avocet::hal
