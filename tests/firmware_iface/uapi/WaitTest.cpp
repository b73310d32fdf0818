//===- WaitTest.cpp - Waits, signals and cancellation -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"
#include "SyncFile.h"

#include "avocet/firmware_iface/Fault.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

namespace avocet::uapi {
namespace {

using namespace std::chrono_literals;
using firmware::FaultCode;

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);
constexpr auto kCancelled = uint32_t(FaultCode::Cancelled);

class WaitTest : public testing::Test {
protected:
  Device device_;
  Client client_{device_};
};

TEST_F(WaitTest, TimeOutLeavesJobRunning) {
  const Submitted gate = client_.submit(Program::Gate);
  EXPECT_EQ(client_.wait(gate.job, 0).error, ETIMEDOUT);
  EXPECT_EQ(client_.wait(gate.job, 1).error, ETIMEDOUT) << "a time in the past";
  EXPECT_EQ(client_.wait(gate.job, afterNow(20ms)).error, ETIMEDOUT);
  client_.openGate();
  EXPECT_EQ(client_.wait(gate.job, -1).state, kComplete) << "for ever";
  EXPECT_EQ(client_.wait(gate.job, 0).state, kComplete) << "again, of a job that has ended";
}

TEST_F(WaitTest, SignalInterruptsWait) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
  const Submitted gate = client_.submit(Program::Gate);
  for (bool forEver : {true, false}) {
    const int64_t until = forEver ? -1 : afterNow(kPatience);
    std::atomic<int> error{-1};
    std::thread waiter([&] { error = client_.wait(gate.job, until).error; });
    // A signal before the wait begins has no effect on it: repeat.
    while (error == -1) {
      ::pthread_kill(waiter.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(1ms);
    }
    waiter.join();
    EXPECT_EQ(error, EINTR);
  }
  client_.openGate();
  EXPECT_EQ(client_.wait(gate.job).state, kComplete) << "the repeated wait";
}

TEST_F(WaitTest, EndOfContextEndsWaits) {
  const Submitted gate = client_.submit(Program::Gate);
  Waited waited;
  std::thread waiter([&] { waited = client_.wait(gate.job, -1); });
  while (client_.wait(gate.job, 0).error != ETIMEDOUT)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(destroyContext(device_, client_.context()), 0);
  waiter.join();
  // The wait may begin after the context's end.
  EXPECT_TRUE(waited.error == ENOENT || (waited.error == 0 && waited.fault == kCancelled)) << waited.error;
  EXPECT_EQ(client_.wait(gate.job, 0).error, ENOENT);
}

TEST_F(WaitTest, PassedDeadlineEndsJobWithoutRunning) {
  client_.fill(3);
  avocet_submit call = client_.describe(Program::Copy);
  call.deadline_ns = 1;
  const Submitted late = client_.submit(call);
  EXPECT_EQ(client_.wait(late.job).fault, uint32_t(FaultCode::DeadlineMissed));
  EXPECT_EQ(statusOf(late.fence), -ETIME);
  EXPECT_FALSE(client_.hasCopied(3));
  call.deadline_ns = afterNow(1h);
  EXPECT_EQ(client_.wait(client_.submit(call).job).state, kComplete);
}

TEST_F(WaitTest, WatchdogEndsJob) {
  avocet_submit call = client_.describe(Program::Copy);
  call.watchdog_cycles = 1;
  EXPECT_EQ(client_.wait(client_.submit(call).job).fault, uint32_t(FaultCode::Watchdog));
}

class CancelTest : public WaitTest {};

TEST_F(CancelTest, RunningJobEnds) {
  const Submitted gate = client_.submit(Program::Gate);
  EXPECT_FALSE(signals(gate.fence, 50ms));
  EXPECT_EQ(client_.cancel(gate.job), 0);
  EXPECT_EQ(client_.wait(gate.job).fault, kCancelled);
  EXPECT_TRUE(signals(gate.fence, kPatience));
  EXPECT_EQ(statusOf(gate.fence), -ECANCELED);
}

TEST_F(CancelTest, QueuedJobEndsWithoutRunning) {
  client_.fill(6);
  const Submitted gate = client_.submit(Program::Gate), queued = client_.submit(Program::Copy);
  EXPECT_EQ(client_.cancel(queued.job), 0);
  client_.openGate();
  EXPECT_EQ(client_.wait(gate.job).state, kComplete);
  EXPECT_EQ(client_.wait(queued.job).fault, kCancelled);
  const Submitted next = client_.submit(Program::Copy);
  EXPECT_EQ(client_.wait(next.job).state, kComplete);
}

TEST_F(CancelTest, JobThatWaitsForFenceEnds) {
  Client other(device_);
  other.fill(6);
  const Submitted gate = client_.submit(Program::Gate), waiting = other.submit(Program::Copy, {gate.fence.get()});
  EXPECT_EQ(other.cancel(waiting.job), 0);
  EXPECT_EQ(other.cancel(waiting.job), 0) << "again";
  client_.openGate();
  EXPECT_EQ(other.wait(waiting.job).fault, kCancelled);
  EXPECT_FALSE(other.hasCopied(6));
  EXPECT_EQ(client_.wait(gate.job).state, kComplete);
  EXPECT_EQ(other.wait(other.submit(Program::Copy).job).state, kComplete);
}

TEST_F(CancelTest, EndedJobStaysAsItIs) {
  const Submitted job = client_.submit(Program::Copy);
  EXPECT_EQ(client_.wait(job.job).state, kComplete);
  EXPECT_EQ(client_.cancel(job.job), 0);
  EXPECT_EQ(client_.wait(job.job).state, kComplete);
  EXPECT_EQ(statusOf(job.fence), 1);
}

TEST_F(CancelTest, JobsOfOtherContextsGoOn) {
  Client other(device_);
  other.fill(1);
  const Submitted gate = client_.submit(Program::Gate), theirs = other.submit(Program::Gate);
  EXPECT_EQ(client_.cancel(gate.job), 0);
  EXPECT_EQ(client_.wait(gate.job).fault, kCancelled);
  EXPECT_EQ(other.wait(theirs.job, 0).error, ETIMEDOUT);
  other.openGate();
  EXPECT_EQ(other.wait(theirs.job).state, kComplete);
  EXPECT_TRUE(other.hasCopied(1));
}

} // namespace
} // namespace avocet::uapi
