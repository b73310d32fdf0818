//===- SchedulerTest.cpp - Order and limits of jobs -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongJob.h"

#include "avocet/firmware_iface/Version.h"
#include "firmware/Scheduler.h"

#include <gtest/gtest.h>

#include <map>

namespace avocet::sim::test {
namespace {

using namespace firmware;

constexpr uint64_t kNsPerCycle = 2;           // e256
constexpr uint64_t kGraceCycles = 500'000;    // kHardStopNs
constexpr uint64_t kAgingCycles = 50'000'000; // Scheduler::kAgingNs

class SchedulerTest : public testing::Test {
protected:
  explicit SchedulerTest(bool functional = true) : driver_("e256", DeviceOptions{functional, true, false, false}) {
    fillLongJob(a_);
    fillLongJob(b_);
    driver_.device().setJobObserver([this](const JobProfile &profile) { ended_.push_back(profile); });
  }
  uint64_t now() {
    const uint64_t low = driver_.readRegister(Register::CycleCountLow);
    return low | uint64_t{driver_.readRegister(Register::CycleCountHigh)} << 32;
  }
  void run() { driver_.device().run(); }
  std::vector<uint64_t> order() const {
    std::vector<uint64_t> sequences;
    for (const JobProfile &profile : ended_)
      sequences.push_back(profile.record.sequence);
    return sequences;
  }

  TestDriver driver_;
  TestClient a_{driver_, 10, 1}, b_{driver_, 11, 2}, c_{driver_, 12, 3};
  std::vector<JobProfile> ended_;
};

TEST_F(SchedulerTest, HelloReportsPreemption) {
  auto featuresOf = [](TestDriver &driver) {
    const Mailbox reply =
        driver.send(MessageKind::Hello, HelloRequest{kInterfaceVersion, kInterfaceVersion, kEncodingVersion, 0});
    HelloReply hello;
    std::memcpy(&hello, reply.body, sizeof(hello));
    return hello.features;
  };
  EXPECT_NE(featuresOf(driver_) & feature::kPreemption, 0u);
  TestDriver untimed("e256", DeviceOptions{true, false, false, false});
  EXPECT_EQ(featuresOf(untimed) & feature::kPreemption, 0u);
}

TEST_F(SchedulerTest, TimeAdvancesWhileDeviceIsIdle) {
  std::vector<uint64_t> at;
  for (const uint64_t cycle : {30000u, 10000u, 20000u})
    driver_.device().callAt(cycle, [this, &at] { at.push_back(now()); });
  const JobDescriptor job = a_.makeJob(longJob());
  a_.submitAt(40000, job);
  run();
  EXPECT_EQ(at, (std::vector<uint64_t>{10000, 20000, 30000}));
  EXPECT_EQ(a_.recordOf(job).arrivalCycle, 40000u);
  EXPECT_EQ(a_.recordOf(job).startCycle, 40000u);
}

TEST_F(SchedulerTest, EarliestDeadlineRunsFirstWithinLevel) {
  const JobDescriptor first = a_.makeJob(longJob(), 2);
  JobDescriptor late = b_.makeJob(longJob(), 2), soon = c_.makeJob(longJob(), 2);
  TestClient d(driver_, 13, 4);
  const JobDescriptor never = d.makeJob(longJob(), 2);
  late.deadlineNs = 1'000'000'000, soon.deadlineNs = 900'000'000;
  a_.submit(first);
  driver_.device().callAt(now() + 1000, [&] { // while the first one is running
    d.submit(never);
    b_.submit(late);
    c_.submit(soon);
  });
  run();
  EXPECT_EQ(order(), (std::vector{first.sequence, soon.sequence, late.sequence, never.sequence}));
}

/// Owner 1 has three contexts, owner 2 one: each still gets half of the device.
TEST_F(SchedulerTest, OwnersGetEqualDeviceTime) {
  TestClient d(driver_, 13, 1), e(driver_, 14, 1);
  std::map<uint32_t, uint32_t> ownerOf = {{10, 1}, {13, 1}, {14, 1}, {11, 2}};
  for (uint32_t i = 0; i < 10; ++i)
    for (TestClient *client : {&a_, &d, &e, &b_})
      client->push(client->makeJob(longJob()));
  for (TestClient *client : {&a_, &d, &e, &b_})
    client->ring();
  run();
  ASSERT_EQ(ended_.size(), 40u);
  std::map<uint32_t, int> jobs;
  for (size_t i = 0; i < 20; ++i) {
    ++jobs[ownerOf.at(ended_[i].context)];
    EXPECT_LE(std::abs(jobs[1] - jobs[2]), 1) << "after " << i + 1 << " jobs";
  }
}

/// An idle owner does not get unused time later.
TEST_F(SchedulerTest, IdleOwnersGainNoDeviceTime) {
  for (uint32_t i = 0; i < 10; ++i)
    a_.push(a_.makeJob(longJob()));
  a_.ring();
  run();
  ended_.clear();
  for (uint32_t i = 0; i < 10; ++i)
    for (TestClient *client : {&a_, &b_})
      client->push(client->makeJob(longJob()));
  a_.ring();
  b_.ring();
  run();
  int lead = 0;
  for (const JobProfile &profile : ended_) {
    lead += profile.context == a_.number() ? 1 : -1;
    EXPECT_LE(std::abs(lead), 2);
  }
}

TEST_F(SchedulerTest, RunningJobEndsAtYieldAfterDeadline) {
  JobDescriptor job = a_.makeJob(longJob());
  const uint64_t deadline = now() + 8000;
  job.deadlineNs = deadline * kNsPerCycle;
  a_.submit(job);
  run();
  EXPECT_EQ(a_.faultOf(job), FaultCode::DeadlineMissed);
  EXPECT_GE(a_.recordOf(job).endCycle, deadline);
  EXPECT_LT(a_.recordOf(job).endCycle, deadline + kStepCycles);
}

TEST_F(SchedulerTest, RunningJobEndsAtYieldAfterWatchdog) {
  JobDescriptor job = a_.makeJob(longJob());
  job.watchdogCycles = 8000;
  a_.submit(job);
  run();
  EXPECT_EQ(a_.faultOf(job), FaultCode::Watchdog);
  EXPECT_GE(a_.recordOf(job).counters.cycles, 8000u);
  EXPECT_LT(a_.recordOf(job).counters.cycles, 8000u + kStepCycles);
}

TEST_F(SchedulerTest, RunningJobIsCancelledAtItsNextYield) {
  const JobDescriptor job = a_.makeJob(longJob()), next = b_.makeJob(longJob());
  const uint64_t at = now() + 8000;
  a_.submit(job);
  b_.submit(next);
  driver_.device().callAt(
      at, [&] { driver_.post(MessageKind::Cancel, CancelRequest{a_.number(), a_.number(), job.sequence}); });
  run();
  EXPECT_EQ(a_.faultOf(job), FaultCode::Cancelled);
  EXPECT_GE(a_.recordOf(job).endCycle, at);
  EXPECT_LT(a_.recordOf(job).endCycle, at + kStepCycles);
  EXPECT_EQ(b_.recordOf(next).startCycle, a_.recordOf(job).endCycle);
  EXPECT_EQ(bytesAt(b_, kResult, kBlock), longJobResult(b_));
}

/// Yields that come too late do not extend the limit.
TEST_F(SchedulerTest, LateYieldsDoNotExtendLimit) {
  std::vector<CommandBody> dma(1, YieldCommand{1, {}});
  dma.insert(dma.end(), 2000, load(1, 0, 0, 4096));
  JobDescriptor job = a_.makeJob({stream(kDma, dma)});
  const uint64_t deadline = now() + 100'000;
  job.deadlineNs = deadline * kNsPerCycle;
  a_.submit(job);
  run();
  EXPECT_EQ(a_.faultOf(job), FaultCode::DeadlineMissed);
  EXPECT_EQ(a_.recordOf(job).endCycle, deadline + kGraceCycles);
}

/// A deadlocked job is detected even while it is stopping.
TEST_F(SchedulerTest, DeadlockedJobIsPreemptedThenFaults) {
  std::vector<CommandBody> mac = {YieldCommand{1, {}}, WaitCommand{0, 2}};
  std::vector<CommandBody> dma(1, YieldCommand{1, {}});
  dma.insert(dma.end(), 8, load(1, 0, 0, 4096));
  dma.push_back(SignalCommand{0});
  const JobDescriptor job = a_.makeJob({stream(kDma, dma), stream(kMac, mac)}), top = b_.makeJob(longJob(), 7);
  a_.submit(job);
  b_.submitAt(now() + 5000, top);
  run();
  EXPECT_EQ(order(), (std::vector{top.sequence, job.sequence}));
  EXPECT_EQ(a_.faultOf(job), FaultCode::Deadlock);
  EXPECT_EQ(bytesAt(b_, kResult, kBlock), longJobResult(b_));
}

TEST_F(SchedulerTest, QueuedJobPastItsDeadlineEndsWithoutRunning) {
  const JobDescriptor runs = a_.makeJob(longJob(), 5);
  JobDescriptor waits = b_.makeJob(longJob());
  const uint64_t deadline = now() + 9000;
  waits.deadlineNs = deadline * kNsPerCycle;
  a_.submit(runs);
  b_.submit(waits);
  run();
  EXPECT_EQ(order(), (std::vector{waits.sequence, runs.sequence})); // its record is written at once
  EXPECT_EQ(b_.faultOf(waits), FaultCode::DeadlineMissed);
  EXPECT_EQ(b_.recordOf(waits).startCycle, b_.recordOf(waits).endCycle);
  EXPECT_GE(b_.recordOf(waits).endCycle, deadline);
  EXPECT_LT(b_.recordOf(waits).endCycle, deadline + kStepCycles);
  EXPECT_EQ(a_.faultOf(runs), FaultCode::None);
}

TEST_F(SchedulerTest, SuspendedJobMissesItsDeadline) {
  JobDescriptor low = a_.makeJob(longJob());
  const JobDescriptor top = b_.makeJob(longJob(), 5);
  const uint64_t start = now(), deadline = start + 20000;
  low.deadlineNs = deadline * kNsPerCycle;
  a_.submit(low);
  b_.submitAt(start + 5000, top);
  run();
  EXPECT_EQ(order(), (std::vector{low.sequence, top.sequence}));
  EXPECT_EQ(a_.faultOf(low), FaultCode::DeadlineMissed);
  EXPECT_LT(a_.recordOf(low).endCycle, deadline + kStepCycles);
  EXPECT_EQ(bytesAt(b_, kResult, kBlock), longJobResult(b_));
}

TEST_F(SchedulerTest, ResumedJobMeetsItsDeadline) {
  JobDescriptor low = a_.makeJob(longJob());
  const uint64_t start = now();
  low.deadlineNs = (start + 60000) * kNsPerCycle; // enough for both jobs
  const JobDescriptor top = b_.makeJob(shortJob(0, kBlock), 5);
  a_.submit(low);
  b_.submitAt(start + 5000, top);
  run();
  EXPECT_EQ(a_.faultOf(low), FaultCode::None);
  EXPECT_LT(a_.recordOf(low).endCycle, start + 60000);
}

TEST_F(SchedulerTest, SuspendedJobIsCancelledAtOnce) {
  const JobDescriptor low = a_.makeJob(longJob()), top = b_.makeJob(longJob(), 5);
  const uint64_t start = now();
  a_.submit(low);
  b_.submitAt(start + 5000, top);
  driver_.device().callAt(
      start + 15000, [&] { driver_.post(MessageKind::Cancel, CancelRequest{a_.number(), a_.number(), low.sequence}); });
  run();
  EXPECT_EQ(order(), (std::vector{low.sequence, top.sequence}));
  EXPECT_EQ(a_.faultOf(low), FaultCode::Cancelled);
  EXPECT_EQ(b_.faultOf(top), FaultCode::None);
}

TEST_F(SchedulerTest, SuspendedJobEndsWithItsContext) {
  const JobDescriptor low = a_.makeJob(longJob()), top = b_.makeJob(longJob(), 5);
  const uint64_t start = now();
  a_.submit(low);
  b_.submitAt(start + 5000, top);
  driver_.device().callAt(start + 15000,
                          [&] { driver_.post(MessageKind::DestroyContext, ContextRequest{a_.number(), 0, {}}); });
  run();
  EXPECT_EQ(order(), (std::vector{low.sequence, top.sequence}));
  EXPECT_EQ(a_.faultOf(low), FaultCode::Cancelled);
  EXPECT_EQ(bytesAt(b_, kResult, kBlock), longJobResult(b_));
  EXPECT_EQ(a_.destroy(), ReplyCode::NoSuchContext);
}

TEST_F(SchedulerTest, SuspendedJobThatLosesItsMappingFaults) {
  const JobDescriptor low = a_.makeJob(longJob()), top = b_.makeJob(longJob(), 5);
  const uint64_t start = now();
  a_.submit(low);
  b_.submitAt(start + 5000, top);
  driver_.device().callAt(start + 15000, [&] { driver_.post(MessageKind::Unmap, a_.dataMapping()); });
  run();
  EXPECT_EQ(order(), (std::vector{top.sequence, low.sequence}));
  EXPECT_EQ(a_.faultOf(low), FaultCode::PageFault);
  EXPECT_EQ(bytesAt(b_, kResult, kBlock), longJobResult(b_));
}

/// One job runs, one is suspended, two are queued. The first is lost. The others run after the driver has announced
/// everything again and has put them at the start of the rings.
TEST_F(SchedulerTest, ResetEndsOnlyTheRunningJob) {
  const JobDescriptor low = a_.makeJob(longJob()), successor = a_.makeJob(shortJob(0, 64)),
                      top = b_.makeJob(longJob(), 5), queued = c_.makeJob(shortJob(0, 64));
  const uint64_t start = now();
  a_.push(low);
  a_.submit(successor);
  c_.submit(queued);
  b_.submitAt(start + 100, top);
  driver_.device().callAt(start + 15000,
                          [&] { driver_.writeRegister(Register::Control, control::kRun | control::kReset); });
  run();
  EXPECT_EQ(order(), (std::vector{top.sequence}));
  EXPECT_EQ(b_.faultOf(top), FaultCode::DeviceReset);
  for (const JobDescriptor &job : {low, successor, queued})
    EXPECT_EQ(driver_.recordOf(job).state, static_cast<uint32_t>(JobState::Pending));

  driver_.send(MessageKind::Hello, HelloRequest{kInterfaceVersion, kInterfaceVersion, kEncodingVersion, 0});
  a_.ringHeader().head = 0; // both were taken
  c_.ringHeader().head = 0;
  for (TestClient *client : {&a_, &b_, &c_})
    client->announce();
  const JobDescriptor next = b_.makeJob(longJob());
  b_.submit(next);
  a_.ring();
  c_.ring();
  run();
  for (const JobDescriptor &job : {low, successor, queued, next})
    EXPECT_EQ(driver_.recordOf(job).state, static_cast<uint32_t>(JobState::Complete));
  EXPECT_EQ(bytesAt(a_, kResult, kBlock), longJobResult(a_));
  EXPECT_EQ(bytesAt(b_, kResult, kBlock), longJobResult(b_));
}

class AgingTest : public SchedulerTest {
protected:
  AgingTest() : SchedulerTest(false) {}

  /// Runs for about `megacycles` * 1e6 cycles.
  std::vector<TestStream> busyJob(uint32_t megacycles) {
    std::vector<CommandBody> dma;
    for (uint32_t i = 0; i < megacycles * 16; ++i) {
      dma.push_back(YieldCommand{i + 1, {}});
      dma.push_back(load(1, 0, 0, 65536));
    }
    return {stream(kDma, dma)};
  }
};

TEST_F(AgingTest, WaitingJobReachesHigherPriority) {
  const JobDescriptor low = a_.makeJob(longJob(), 0);
  for (uint32_t i = 0; i < 8; ++i)
    b_.push(b_.makeJob(busyJob(20), 1));
  b_.ring();
  a_.submit(low);
  run();
  // After 100 ms it reaches the level of the others, and its owner has used no time: it goes next. The others wait for
  // jobs of their own ring, which does not raise them.
  const CompletionRecord record = a_.recordOf(low);
  EXPECT_EQ(record.faultCode, 0u);
  EXPECT_GE(record.startCycle, kAgingCycles);
  EXPECT_LT(record.startCycle, kAgingCycles + 22'000'000);
}

TEST_F(AgingTest, AgedJobPreempts) {
  const JobDescriptor low = a_.makeJob(longJob(), 0), busy = b_.makeJob(busyJob(150), 1);
  b_.submit(busy);
  a_.submit(low);
  run();
  EXPECT_EQ(order(), (std::vector{low.sequence, busy.sequence}));
  EXPECT_GE(a_.recordOf(low).startCycle, 2 * kAgingCycles);
  EXPECT_LT(a_.recordOf(low).startCycle, 2 * kAgingCycles + 70'000);
}

TEST(SchedulerRankTest, PriorityRisesWithWaitingTime) {
  auto target = std::move(Target::load("e256")).value();
  const Scheduler scheduler(*target);
  QueuedJob job;
  EXPECT_EQ(scheduler.priorityOf(job, 0, 1000), 0u); // it is not ready
  EXPECT_EQ(scheduler.risesAbove(0, job, 0, 1000), kNever);
  job.readySince = 1000;
  job.descriptor.priority = 2;
  EXPECT_EQ(scheduler.priorityOf(job, 0, 1000), 2u);
  EXPECT_EQ(scheduler.priorityOf(job, 0, 1000 + kAgingCycles - 1), 2u);
  EXPECT_EQ(scheduler.priorityOf(job, 0, 1000 + kAgingCycles), 3u);
  EXPECT_EQ(scheduler.priorityOf(job, kAgingCycles, 1000 + kAgingCycles), 2u); // it ran all that time
  EXPECT_EQ(scheduler.priorityOf(job, 0, 1000 + 20 * kAgingCycles), kMaxPriority);
  EXPECT_EQ(scheduler.risesAbove(2, job, 0, 1000), 1000 + kAgingCycles);
  EXPECT_EQ(scheduler.risesAbove(4, job, 500, 2000), 1500 + 3 * kAgingCycles);
  EXPECT_EQ(scheduler.risesAbove(1, job, 0, 1000), kNever); // it is above already
  EXPECT_EQ(scheduler.risesAbove(kMaxPriority, job, 0, 1000), kNever);
  job.descriptor.priority = UINT32_MAX; // refused when the job begins
  EXPECT_EQ(scheduler.priorityOf(job, 0, 1000), kMaxPriority);
}

} // namespace
} // namespace avocet::sim::test
