//===- DeathTest.cpp - Killed clients and ended services --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include <csignal>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;

class KilledPeerTest : public ServiceFixture {
protected:
  /// Runs `act` in another process, which then waits, and kills the process when `ready` returns true.
  template <typename Act, typename Ready> void kill(Act act, Ready ready) {
    pid_t child = ::fork();
    if (child == 0) {
      act();
      ::pause();
      ::_exit(1);
    }
    EXPECT_TRUE(eventually(ready));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ::waitpid(child, nullptr, 0);
  }
  void expectNothingLeft() {
    EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
    ServiceCounters counters = service_->counters();
    EXPECT_EQ(counters.objectsNow, 0u);
    EXPECT_EQ(counters.buffersNow, 0u);
    EXPECT_EQ(counters.burstsNow, 0u);
    {
      std::lock_guard lock(fake_->mutex);
      fake_->request = {}; // the recorded request keeps descriptors open
      fake_->memory = {};
      fake_->waitFor.clear();
    }
    EXPECT_TRUE(reaches(&ServiceCounters::descriptorsNow, 0));
  }
  std::function<bool()> isBlocked() {
    return [this] {
      std::lock_guard lock(fake_->mutex);
      return fake_->blocked > 0;
    };
  }
};

TEST_F(KilledPeerTest, ClientKilledInExecutionLeavesNothing) {
  setBlocking(true);
  kill([&] { (void)prepare("fake")->execute(Sum().request, {}); }, isBlocked());
  expectNothingLeft();
  EXPECT_EQ(fake_->abandoned, 1);
}

TEST_F(KilledPeerTest, ClientKilledInAsynchronousExecutionLeavesNothing) {
  setBlocking(true);
  std::shared_ptr<IPreparedModel> prepared;
  kill(
      [&] {
        prepared = prepare("fake");
        (void)prepared->executeAsynchronously(Sum().request, {}, [](const ExecutionOutcome &) {});
      },
      isBlocked());
  expectNothingLeft();
}

TEST_F(KilledPeerTest, ClientKilledInQueueBurstLeavesNothing) {
  setBlocking(true);
  kill([&] { (void)(*prepare("fake")->configureBurst())->execute(Sum().request, {1, 2}, {}); }, isBlocked());
  expectNothingLeft();
}

TEST_F(KilledPeerTest, ClientKilledWithBufferAndFenceLeavesNothing) {
  std::shared_ptr<IDevice> device;
  std::shared_ptr<IPreparedModel> prepared;
  Result<std::shared_ptr<IBuffer>> buffer = generalFailure("");
  Result<FencedLaunch> launch = generalFailure("");
  kill(
      [&] {
        device = connect("fake");
        prepared = *device->prepareModel(addModel({4}), {});
        buffer = device->allocate({}, {}, {});
        auto awaited = FenceSignaler::create();
        launch = prepared->executeFenced(Sum().request, {awaited->first}, {});
        ::pause();
      },
      [&] { return service_->counters().objectsNow == 3; });
  expectNothingLeft();
}

TEST_F(KilledPeerTest, ClientKilledInManyCallsLeavesNothing) {
  setBlocking(true);
  kill(
      [&] {
        auto prepared = prepare("fake");
        std::vector<std::thread> threads;
        for (int i = 0; i < 20; ++i)
          threads.emplace_back([&] { (void)prepared->execute(Sum().request, {}); });
        ::pause();
      },
      [&] { return service_->counters().callsEver == 22; });
  expectNothingLeft();
  setBlocking(false);
  EXPECT_TRUE(prepare("fake")->execute(Sum().request, {}).isOk()) << "others go on";
}

TEST_F(KilledPeerTest, ServiceEndFailsEveryPendingCall) {
  auto prepared = prepare("fake");
  auto burst = prepared->configureBurst();
  ASSERT_TRUE(burst.isOk());
  setBlocking(true);
  std::vector<std::future<ErrorStatus>> runs;
  for (int i = 0; i < 3; ++i)
    runs.push_back(std::async(std::launch::async, [&] { return prepared->execute(Sum().request, {}).status; }));
  runs.push_back(std::async(std::launch::async, [&] { return (*burst)->execute(Sum().request, {1, 2}, {}).status; }));
  std::promise<ErrorStatus> called;
  std::atomic<int> calls{0};
  EXPECT_EQ(prepared->executeAsynchronously(Sum().request, {},
                                            [&](const ExecutionOutcome &outcome) {
                                              if (++calls == 1)
                                                called.set_value(outcome.status);
                                            }),
            ErrorStatus::None);
  ASSERT_TRUE(blocks(5));
  service_.reset();
  // Abandoned executions may still answer before the service ends; no call waits without limit.
  for (auto &run : runs) {
    ASSERT_EQ(run.wait_for(kPatience), std::future_status::ready);
    ErrorStatus status = run.get();
    EXPECT_TRUE(status == ErrorStatus::DeadObject || status == ErrorStatus::GeneralFailure) << toString(status);
  }
  auto answer = called.get_future();
  ASSERT_EQ(answer.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(prepared->execute(Sum().request, {}).status, ErrorStatus::DeadObject);
  EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace avocet::hal
