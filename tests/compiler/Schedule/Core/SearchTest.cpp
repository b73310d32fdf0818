//===- SearchTest.cpp - Levels of effort, with a fake simulator -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Search/Search.h"
#include "Networks.h"
#include "Sanitizer.h"

#include "avocet/compiler/Support/Cancel.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;
using testing::HasSubstr;

/// Simulated cycles are a hash of the sequence, so that they have nothing to do with the prediction.
class FakeHost : public SearchHost {
public:
  Result<uint64_t> simulate(const Sequence &sequence) override {
    if (failAt && simulated.size() + 1 == failAt)
      return Status(StatusCode::DeviceFault, "the fake failed");
    uint64_t hash = sequence.steps.size();
    for (const Buffer &buffer : sequence.buffers)
      hash = hash * 31 + buffer.address + buffer.bytes;
    simulated.push_back(1000 + hash % 1000);
    return simulated.back();
  }
  void report(const Alternative &alternative) override {
    alternatives.push_back(alternative);
    if (alternative.simulatedCycles && alternative.isKept)
      best = *alternative.simulatedCycles;
  }

  size_t failAt = 0; ///< simulation that fails; 0: none
  std::vector<uint64_t> simulated;
  std::vector<Alternative> alternatives;
  uint64_t best = 0; ///< of those that were kept
};

/// Several ways to run it: weights and maps do not fit together.
void buildNetwork(Network &net) {
  uint32_t x = net.conv(net.input({48, 48, 8, DataType::Int8}), 64, 3);
  x = net.conv(net.depthwise(x, 3), 128, 1);
  x = net.conv(x, 128, 3, 2);
  x = net.conv(net.conv(x, 128, 3), 256, 3);
  net.output(net.conv(x, 64, 1, 2));
}

/// The text of all commands and addresses.
std::string textOf(const Sequence &sequence) {
  std::string text;
  for (const Buffer &buffer : sequence.buffers)
    text += std::to_string(buffer.address) + ":" + std::to_string(buffer.bytes) + " ";
  for (const Step &step : sequence.steps)
    text +=
        std::to_string(step.layer) + "." + std::to_string(step.command.index()) + "." + std::to_string(step.channel);
  return text;
}

Sequence searched(const Problem &problem, const SearchEffort &effort, FakeHost &host) {
  auto answer = searchSchedule(problem, effort, host);
  EXPECT_TRUE(answer.isOk()) << answer.status().toString();
  return answer && std::holds_alternative<Sequence>(*answer) ? std::get<Sequence>(*answer) : Sequence();
}

SearchEffort atLevel(uint32_t level) {
  SearchEffort effort;
  effort.level = level;
  effort.mostChanges = casesOf(300, 100);
  return effort;
}

SearchEffort untilOver(std::function<bool()> isOver) {
  SearchEffort effort;
  effort.isOver = std::move(isOver);
  return effort;
}

TEST(SearchTest, LevelsBelowTwoDoNotSimulate) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost none, one;
  searched(net.problem(), atLevel(0), none);
  const Sequence byLevel1 = searched(net.problem(), atLevel(1), one);
  EXPECT_EQ(none.alternatives.size(), 1u);
  EXPECT_GT(one.alternatives.size(), 1u);
  EXPECT_TRUE(none.simulated.empty() && one.simulated.empty());
  EXPECT_EQ(textOf(byLevel1), textOf(std::get<Sequence>(makeSchedule(net.problem()))));
}

TEST(SearchTest, KeepsFewestSimulatedCycles) {
  Network net("e256s");
  buildNetwork(net);
  for (uint32_t level : {2, 3}) {
    FakeHost host;
    const Sequence sequence = searched(net.problem(), atLevel(level), host);
    EXPECT_TRUE(sequence.verify(net.problem()).isOk()) << sequence.verify(net.problem()).toString();
    ASSERT_GT(host.simulated.size(), 2u);
    EXPECT_EQ(host.best, *std::ranges::min_element(host.simulated));
    EXPECT_EQ(*FakeHost().simulate(sequence), host.best) << "the result is not the schedule that was kept";
  }
}

TEST(SearchTest, LevelTwoSimulatesBlocksThatArePredictedFaster) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost host;
  searched(net.problem(), atLevel(2), host);
  const Alternative &last = host.alternatives.back();
  EXPECT_THAT(last.what, HasSubstr("other blocks"));
  EXPECT_TRUE(last.simulatedCycles);
  uint64_t best = UINT64_MAX; // of the plans of the planner, by simulated cycles
  uint64_t predicted = 0;
  for (size_t i = 0; i + 1 < host.alternatives.size(); ++i)
    if (const Alternative &plan = host.alternatives[i]; plan.simulatedCycles && *plan.simulatedCycles < best) {
      best = *plan.simulatedCycles;
      predicted = plan.predictedCycles;
    }
  EXPECT_LT(last.predictedCycles, predicted) << "of the plan whose blocks were changed";
}

TEST(SearchTest, SimulatesScheduleOfLevelOneFirst) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost host;
  const uint64_t ofLevel1 = *FakeHost().simulate(std::get<Sequence>(makeSchedule(net.problem())));
  searched(net.problem(), atLevel(2), host);
  ASSERT_FALSE(host.simulated.empty());
  EXPECT_EQ(host.simulated.front(), ofLevel1);
  EXPECT_LE(host.best, ofLevel1);
}

TEST(SearchTest, EqualLevelsGiveEqualSchedules) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost a, b;
  const std::string first = textOf(searched(net.problem(), atLevel(3), a));
  EXPECT_EQ(textOf(searched(net.problem(), atLevel(3), b)), first);
  EXPECT_EQ(a.simulated, b.simulated);
}

TEST(SearchTest, EveryScheduleOfLongSearchIsValid) {
  struct VerifyingHost : FakeHost {
    explicit VerifyingHost(const Problem &ofSequences) : problem(ofSequences) {}
    Result<uint64_t> simulate(const Sequence &sequence) override {
      const Status status = sequence.verify(problem);
      EXPECT_TRUE(status.isOk()) << status.toString();
      return FakeHost::simulate(sequence);
    }
    const Problem &problem;
  };
  for (const char *target : {"e256s", "m512"}) {
    Network net(target);
    buildNetwork(net);
    VerifyingHost host(net.problem());
    searched(net.problem(), atLevel(3), host);
  }
}

/// More of them: its cascades and parts depend on the settings of the planner.
void buildDeepNetwork(Network &net) {
  uint32_t x = net.conv(net.input({112, 112, 8, DataType::Int8}), 32, 3);
  for (uint32_t channels : {64u, 128u, 256u, 512u})
    for (uint32_t stride : {1u, 2u})
      x = net.conv(net.depthwise(x, 3), channels, 3, stride);
  net.output(net.conv(x, 64, 1));
}

size_t countOf(const FakeHost &host, const std::string &text) {
  return size_t(std::ranges::count_if(host.alternatives, [&](const Alternative &alternative) {
    return alternative.what.find(text) != std::string::npos;
  }));
}

TEST(SearchTest, LevelThreeCombinesPlansAndChanges) {
  Network net("e256s");
  buildDeepNetwork(net);
  FakeHost level2, level3;
  SearchEffort effort = atLevel(3);
  effort.mostChanges = 100;
  searched(net.problem(), atLevel(2), level2);
  searched(net.problem(), effort, level3);
  EXPECT_GT(countOf(level3, "plan for "), countOf(level2, "plan for ")) << "more settings of the planner";
  EXPECT_GT(countOf(level3, " as in another plan"), 0u) << "ranges of their plans";
  EXPECT_GT(countOf(level3, "; "), 0u) << "two changes at once";
}

TEST(SearchTest, FewOperationsEndSearchEarly) {
  Network net("e256");
  net.output(net.conv(net.input({8, 8, 8, DataType::Int8}), 16, 1));
  FakeHost host;
  SearchEffort effort = atLevel(3);
  effort.mostChanges = 100'000;
  searched(net.problem(), effort, host);
  EXPECT_LT(host.alternatives.size(), 1000u) << "no plan is played twice, and one operation has few plans";
}

TEST(SearchTest, GoesOnUntilTimeIsOver) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost byLevel, shorter;
  searched(net.problem(), atLevel(3), byLevel);
  size_t asked = 0;
  searched(net.problem(), untilOver([&] { return ++asked > 20; }), shorter);
  EXPECT_LT(shorter.alternatives.size(), byLevel.alternatives.size());
  EXPECT_GE(shorter.simulated.size(), 1u);
  FakeHost none;
  searched(net.problem(), untilOver([] { return true; }), none);
  EXPECT_EQ(none.simulated.size(), 1u) << "without time, the schedule of level 1";
}

TEST(SearchTest, CancellationEndsSearch) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost host;
  const std::function<bool()> ask = [&] { return host.simulated.size() == 3; };
  Cancellation cancellation(ask);
  (void)searchSchedule(net.problem(), atLevel(3), host);
  EXPECT_EQ(host.simulated.size(), 3u);
}

TEST(SearchTest, ErrorOfSimulationNamesAlternative) {
  Network net("e256s");
  buildNetwork(net);
  FakeHost host;
  host.failAt = 2;
  auto answer = searchSchedule(net.problem(), atLevel(2), host);
  ASSERT_FALSE(answer.isOk());
  EXPECT_EQ(answer.status().code(), StatusCode::DeviceFault);
  EXPECT_THAT(answer.status().message(), HasSubstr("the fake failed"));
  EXPECT_THAT(answer.status().message(), HasSubstr("alternative 'plan for"));
}

} // namespace
} // namespace avocet::compiler::schedule
