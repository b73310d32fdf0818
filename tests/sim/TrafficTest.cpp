//===- TrafficTest.cpp - Many clients at random times -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clients of several owners submit jobs at random cycles, with any priority. Some have deadlines, some wait for others,
// and some are cancelled. Each job ends exactly once, in the order of its ring; complete jobs have the right results.
//
//===----------------------------------------------------------------------===//

#include "LongJob.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

namespace avocet::sim::test {
namespace {

using namespace firmware;

class TrafficTest : public testing::TestWithParam<uint32_t> {
protected:
  static constexpr uint32_t kClients = 8, kJobs = 150;

  TrafficTest() : random_(GetParam()) {
    for (uint32_t i = 0; i < kClients; ++i) {
      clients_.push_back(std::make_unique<TestClient>(driver_, 10 + i, 1 + i % 3));
      fillLongJob(*clients_.back());
      clients_.back()->data()[i] = static_cast<uint8_t>(i); // different data for each client
      results_.push_back(longJobResult(*clients_.back()));
    }
    driver_.device().setJobObserver([this](const JobProfile &profile) { check(profile); });
  }

  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  void check(const JobProfile &profile) {
    const uint32_t client = profile.context - 10;
    const CompletionRecord &record = profile.record;
    EXPECT_TRUE(open_.erase(record.sequence)) << "ended twice, or never submitted";
    const auto fault = static_cast<FaultCode>(record.faultCode);
    ++ends_[fault];
    EXPECT_LE(record.arrivalCycle, record.endCycle);
    EXPECT_GE(record.endCycle - record.startCycle, record.counters.cycles);
    if (fault != FaultCode::None)
      return;
    EXPECT_GT(record.sequence, lastComplete_[client]);
    lastComplete_[client] = record.sequence;
    EXPECT_EQ(bytesAt(*clients_[client], kResult, kBlock), results_[client]);
    std::memset(clients_[client]->data() + kResult, 0, kBlock);
    preemptions_ += profile.preemption.preemptions;
  }

  void submit(uint64_t cycle) {
    const uint32_t client = pick(kClients);
    JobDescriptor job = clients_[client]->makeJob(longJob(), pick(kMaxPriority + 1));
    if (pick(6) == 0)
      job.deadlineNs = 2 * (cycle + 20000 + pick(400000));
    std::vector<DependencyEntry> dependencies;
    for (uint32_t n = pick(4); n < 2 && !known_.empty(); ++n)
      dependencies.push_back(
          known_[known_.size() - 1 - pick(static_cast<uint32_t>(std::min<size_t>(10, known_.size())))]);
    clients_[client]->setDependencies(job, dependencies);
    known_.push_back({clients_[client]->number(), 0, job.sequence});
    open_.insert(job.sequence);
    clients_[client]->submit(job);
    if (pick(8) == 0)
      driver_.device().callAt(cycle + pick(100000), [this, on = known_.back()] {
        driver_.post(MessageKind::Cancel, CancelRequest{on.ring, on.ring, on.sequence});
      });
  }

  TestDriver driver_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<TestClient>> clients_;
  std::vector<std::vector<uint8_t>> results_;
  std::vector<DependencyEntry> known_;
  std::set<uint64_t> open_;
  std::map<uint32_t, uint64_t> lastComplete_;
  std::map<FaultCode, uint32_t> ends_;
  uint64_t preemptions_ = 0;
};

TEST_P(TrafficTest, EveryJobEndsOnceWithRightResult) {
  for (uint32_t i = 0; i < kJobs; ++i) {
    const uint64_t cycle = i * 20000 + pick(20000);
    driver_.device().callAt(cycle, [this, cycle] { submit(cycle); });
  }
  driver_.device().run();
  EXPECT_TRUE(open_.empty());
  EXPECT_GT(ends_[FaultCode::None], kJobs / 3);
  EXPECT_GT(preemptions_, 5u);
  for (const auto &[fault, count] : ends_)
    EXPECT_TRUE(fault == FaultCode::None || fault == FaultCode::DeadlineMissed || fault == FaultCode::Cancelled ||
                fault == FaultCode::DependencyFailed)
        << toString(fault);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TrafficTest, testing::Range(1u, 9u));

} // namespace
} // namespace avocet::sim::test
