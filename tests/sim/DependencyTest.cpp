//===- DependencyTest.cpp - Jobs that wait for other jobs -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestClient.h"

#include "firmware/JobQueue.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// Copies 64 bytes of region 1 from one place to another.
std::vector<TestStream> copyJob(uint64_t from, uint64_t to) {
  return {stream(kDma, {load(1, from, 0, 64), store(1, to, 0, 64)})};
}

std::vector<TestStream> faultyJob() { return {stream(kDma, {load(2, 0, 0, 64)})}; } // region 2 is not bound

class DependencyTest : public testing::TestWithParam<bool> {
protected:
  DependencyTest() {
    driver_.device().setJobObserver([this](const JobProfile &profile) { order_.push_back(profile.record.sequence); });
  }
  static DependencyEntry on(const TestClient &client, const JobDescriptor &job) {
    return {client.number(), 0, job.sequence};
  }
  void run() { driver_.device().run(); }
  static uint32_t pending() { return static_cast<uint32_t>(JobState::Pending); }

  TestDriver driver_{"e256", DeviceOptions{true, GetParam(), false, false}};
  TestClient a_{driver_, 10, 1}, b_{driver_, 11, 2}, c_{driver_, 12, 3};
  std::vector<uint64_t> order_;
};

TEST_P(DependencyTest, JobWaitsForAnotherRing) {
  const JobDescriptor first = a_.makeJob(copyJob(0, 64));
  JobDescriptor second = b_.makeJob(copyJob(0, 64), 7); // would go first by priority
  b_.setDependencies(second, {on(a_, first)});
  a_.submit(first);
  b_.submit(second);
  run();
  EXPECT_EQ(order_, (std::vector{first.sequence, second.sequence}));
  EXPECT_EQ(b_.faultOf(second), FaultCode::None);
  EXPECT_EQ(b_.recordOf(second).arrivalCycle, a_.recordOf(first).endCycle);
  EXPECT_EQ(b_.recordOf(second).startCycle, a_.recordOf(first).endCycle);
}

TEST_P(DependencyTest, WaitingJobHoldsItsRingBack) {
  const JobDescriptor first = a_.makeJob(copyJob(0, 64));
  JobDescriptor waits = b_.makeJob(copyJob(0, 64), 7);
  const JobDescriptor successor = b_.makeJob(copyJob(0, 128), 7);
  b_.setDependencies(waits, {on(a_, first)});
  a_.submit(first);
  b_.submit(waits);
  b_.submit(successor);
  run();
  EXPECT_EQ(order_, (std::vector{first.sequence, waits.sequence, successor.sequence}));
}

TEST_P(DependencyTest, ChainOverThreeRingsRunsInOrder) {
  a_.data()[0] = 77;
  std::vector<JobDescriptor> jobs;
  std::vector<TestClient *> clients = {&a_, &b_, &c_, &a_, &b_, &c_};
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < clients.size(); ++i) {
    jobs.push_back(clients[i]->makeJob(copyJob(0, 64), static_cast<uint32_t>(i)));
    if (i != 0)
      clients[i]->setDependencies(jobs[i], {on(*clients[i - 1], jobs[i - 1])});
    expected.push_back(jobs[i].sequence);
  }
  for (size_t i = 0; i < clients.size(); ++i)
    clients[i]->submit(jobs[i]);
  run();
  EXPECT_EQ(order_, expected);
}

TEST_P(DependencyTest, FaultFailsDependentJobs) {
  const JobDescriptor bad = a_.makeJob(faultyJob());
  JobDescriptor second = b_.makeJob(copyJob(0, 64)), third = c_.makeJob(copyJob(0, 64));
  const JobDescriptor free = b_.makeJob(copyJob(0, 64));
  b_.setDependencies(second, {on(a_, bad)});
  c_.setDependencies(third, {on(b_, second)});
  std::memset(b_.data(), 0x11, 64);
  std::memset(c_.data(), 0x11, 64);
  a_.submit(bad);
  b_.submit(second);
  c_.submit(third);
  run();
  EXPECT_EQ(a_.faultOf(bad), FaultCode::RegionUnbound);
  EXPECT_EQ(b_.faultOf(second), FaultCode::DependencyFailed);
  EXPECT_EQ(c_.faultOf(third), FaultCode::DependencyFailed);
  EXPECT_EQ(b_.data()[64], 0u); // it did not run
  EXPECT_EQ(c_.data()[64], 0u);
  b_.submit(free);
  run();
  EXPECT_EQ(b_.faultOf(free), FaultCode::None);
  EXPECT_EQ(b_.data()[64], 0x11);
}

TEST_P(DependencyTest, UnknownDependenciesFailTheJob) {
  JobDescriptor job = b_.makeJob(copyJob(0, 64));
  auto faultWith = [&](DependencyEntry entry) {
    job.sequence += 1000;
    b_.setDependencies(job, {entry});
    std::memset(reinterpret_cast<void *>(job.completion), 0, sizeof(CompletionRecord));
    b_.submit(job);
    run();
    return b_.faultOf(job);
  };
  EXPECT_EQ(faultWith({10, 0, 999999}), FaultCode::DependencyFailed); // never queued
  EXPECT_EQ(faultWith({200, 0, 1}), FaultCode::DependencyFailed);     // no such ring
  EXPECT_EQ(faultWith({UINT32_MAX, 0, 1}), FaultCode::DependencyFailed);
  EXPECT_EQ(faultWith({10, 1, 1}), FaultCode::DependencyFailed);                   // reserved is not zero
  EXPECT_EQ(faultWith({11, 0, job.sequence + 1000}), FaultCode::DependencyFailed); // itself
  EXPECT_EQ(faultWith({11, 0, UINT64_MAX}), FaultCode::DependencyFailed);          // after itself
  EXPECT_EQ(faultWith({11, 0, job.sequence}), FaultCode::DependencyFailed);        // before itself, but faulted
}

TEST_P(DependencyTest, BrokenDependencyTablesFault) {
  JobDescriptor job = b_.makeJob(copyJob(0, 64));
  auto faultWith = [&](auto &&change) {
    JobDescriptor changed = job;
    changed.sequence = job.sequence += 1;
    change(changed);
    std::memset(reinterpret_cast<void *>(job.completion), 0, sizeof(CompletionRecord));
    b_.submit(changed);
    run();
    return b_.faultOf(changed);
  };
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.dependencyCount = kMaxDependencies + 1; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.dependencyTable = 4, d.dependencyCount = 1; }),
            FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.dependencyTable = 8, d.dependencyCount = 1; }), FaultCode::PageFault);
  EXPECT_EQ(faultWith([](JobDescriptor &) {}), FaultCode::None);
}

/// The bell of the dependent job's ring comes first; its dependency is already in the other ring.
TEST_P(DependencyTest, OrderOfBellsDoesNotMatter) {
  const JobDescriptor first = c_.makeJob(copyJob(0, 64));
  JobDescriptor second = a_.makeJob(copyJob(0, 64));
  a_.setDependencies(second, {on(c_, first)});
  c_.push(first);
  a_.submit(second);
  run();
  EXPECT_EQ(order_, (std::vector{first.sequence, second.sequence}));
  EXPECT_EQ(a_.faultOf(second), FaultCode::None);
}

/// Only a driver that breaks the rule can create a cycle; its jobs wait, the others continue.
TEST_P(DependencyTest, DependencyCycleBlocksOnlyItsJobs) {
  JobDescriptor one = a_.makeJob(copyJob(0, 64)), two = b_.makeJob(copyJob(0, 64));
  const JobDescriptor free = c_.makeJob(copyJob(0, 64));
  a_.setDependencies(one, {on(b_, two)});
  b_.setDependencies(two, {on(a_, one)});
  b_.push(two);
  a_.submit(one);
  c_.submit(free);
  run();
  EXPECT_EQ(order_, std::vector{free.sequence});
  EXPECT_EQ(a_.recordOf(one).state, pending());
  const CancelRequest cancel{b_.number(), b_.number(), two.sequence};
  EXPECT_EQ(TestDriver::codeOf(driver_.send(MessageKind::Cancel, cancel)), ReplyCode::Ok);
  EXPECT_EQ(b_.faultOf(two), FaultCode::Cancelled);
  EXPECT_EQ(a_.faultOf(one), FaultCode::DependencyFailed);
}

TEST_P(DependencyTest, DestroyedContextFailsDependentJobs) {
  JobDescriptor circle = a_.makeJob(copyJob(0, 64)), waits = b_.makeJob(copyJob(0, 64));
  // A job that cannot start: it waits for a job of a ring that waits for this job.
  a_.setDependencies(circle, {on(b_, waits)});
  b_.setDependencies(waits, {on(a_, circle)});
  a_.push(circle);
  b_.submit(waits);
  run();
  EXPECT_EQ(b_.recordOf(waits).state, pending());
  EXPECT_EQ(a_.destroy(), ReplyCode::Ok);
  EXPECT_EQ(a_.faultOf(circle), FaultCode::Cancelled);
  EXPECT_EQ(b_.faultOf(waits), FaultCode::DependencyFailed);
}

/// Sequences below the first one of a ring belong to an earlier ring of that number.
TEST_P(DependencyTest, JobsOfEarlierRingCountAsFailed) {
  JobDescriptor other = a_.makeJob(copyJob(0, 64)), job = b_.makeJob(copyJob(0, 64));
  other.sequence = 5000;
  a_.submit(other);
  run();
  b_.setDependencies(job, {{a_.number(), 0, 4999}});
  b_.submit(job);
  run();
  EXPECT_EQ(a_.faultOf(other), FaultCode::None);
  EXPECT_EQ(b_.faultOf(job), FaultCode::DependencyFailed);
}

INSTANTIATE_TEST_SUITE_P(Modes, DependencyTest, testing::Bool(),
                         [](const auto &info) { return info.param ? "Timed" : "Untimed"; });

TEST(RingHistoryTest, DroppedFaultIsNotReportedAsCompletion) {
  RingHistory history;
  for (uint64_t sequence = 1; sequence <= RingHistory::kMaxEnds + 10; ++sequence)
    history.add({sequence, sequence * 100, sequence == 5 || sequence == 200});
  EXPECT_FALSE(history.find(3).has_value());
  EXPECT_FALSE(history.find(5).has_value());
  ASSERT_TRUE(history.find(6).has_value());
  EXPECT_FALSE(history.find(6)->faulted);
  EXPECT_EQ(history.find(6)->cycle, 1000u); // not later than that
  EXPECT_TRUE(history.find(200)->faulted);
  EXPECT_EQ(history.find(201)->cycle, 20100u);
}

} // namespace
} // namespace avocet::sim::test
