//===- ProfileTest.cpp - Counters, traces and determinism -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"
#include "TestDriver.h"

#include <gtest/gtest.h>

#include <numeric>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// Loads input, weights and records, convolves in two commands of two layers, stores the result.
struct SmallNetwork {
  static constexpr uint32_t kInput = 0, kMiddle = 8192, kOutput = 16384, kWeights = 32768, kRecords = 40000;

  std::vector<TestStream> streams() const {
    auto first = pointwise(tensor(kInput, 8, 8, 32), tensor(kMiddle, 8, 8, 32), kWeights, kRecords, {4, 8, 32});
    auto second = pointwise(tensor(kMiddle, 8, 8, 32), tensor(kOutput, 8, 8, 32), kWeights, kRecords, {4, 8, 32});
    TestStream mac{kMac, {}}, dma{kDma, {}};
    auto add = [](TestStream &s, uint32_t layer, CommandBody body) {
      encode(Command{layer, std::move(body)}, s.words);
    };
    add(dma, 0, load(1, 0, kInput, 2048));
    add(dma, 0, load(1, 2048, kWeights, 1024));
    add(dma, 0, load(1, 4096, kRecords, 384));
    add(dma, kNoLayer, SignalCommand{0});
    add(dma, kNoLayer, WaitCommand{1, 1});
    add(dma, 1, store(1, 8192, kOutput, 2048));
    add(dma, kNoLayer, EndCommand{});
    add(mac, kNoLayer, WaitCommand{0, 1});
    add(mac, 0, first);
    add(mac, 1, second);
    add(mac, kNoLayer, SignalCommand{1});
    add(mac, kNoLayer, EndCommand{});
    return {mac, dma};
  }

  void fill(Pages &data) const {
    std::iota(data.data(), data.data() + 3072, 0);
    for (uint32_t c = 0; c < 32; ++c) {
      const RequantRecord record{static_cast<int32_t>(c), 1 << 30, -7};
      std::memcpy(data.data() + 4096 + c * sizeof(record), &record, sizeof(record));
    }
    std::memset(data.data() + 8192, 0x55, 2048);
  }
};

struct Outcome {
  CompletionRecord record;
  std::vector<uint8_t> output;
  JobProfile profile;
};

Outcome runSmallNetwork(DeviceOptions options, int times = 1) {
  TestDriver driver("e256", options);
  Pages data(16384);
  driver.map(data);
  SmallNetwork network;
  Outcome outcome;
  for (int i = 0; i < times; ++i) {
    network.fill(data);
    outcome.record = driver.run(network.streams(), {{data.address(), data.size()}});
  }
  outcome.output.assign(data.data() + 8192, data.data() + 8192 + 2048);
  outcome.profile = driver.profile();
  return outcome;
}

bool sameCounters(const JobCounters &a, const JobCounters &b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

TEST(DeterminismTest, RepeatedRunsAreIdentical) {
  const DeviceOptions options{true, true, true, true};
  const Outcome first = runSmallNetwork(options), second = runSmallNetwork(options),
                fifth = runSmallNetwork(options, 5);
  ASSERT_EQ(first.record.faultCode, 0u);
  EXPECT_TRUE(sameCounters(first.record.counters, second.record.counters));
  EXPECT_TRUE(sameCounters(first.record.counters, fifth.record.counters)); // from the kept image
  EXPECT_EQ(first.output, second.output);
  EXPECT_EQ(first.output, fifth.output);
  EXPECT_EQ(first.profile.layers, second.profile.layers);
  EXPECT_EQ(first.profile.spans, second.profile.spans);
}

TEST(DeterminismTest, DataDoesNotDependOnTiming) {
  const Outcome both = runSmallNetwork({true, true, false, false});
  const Outcome untimed = runSmallNetwork({true, false, false, false});
  EXPECT_EQ(both.output, untimed.output);
  EXPECT_NE(both.output, std::vector<uint8_t>(2048, 0x55));
  EXPECT_EQ(untimed.record.counters.cycles, 0u);
  EXPECT_EQ(untimed.record.counters.macs, both.record.counters.macs);
  EXPECT_EQ(untimed.record.counters.dramReadBytes, both.record.counters.dramReadBytes);
}

TEST(DeterminismTest, DataDoesNotDependOnCounters) {
  const Outcome counted = runSmallNetwork({.timing = false}),
                uncounted = runSmallNetwork({.timing = false, .counters = false});
  EXPECT_EQ(counted.output, uncounted.output);
  EXPECT_NE(counted.output, std::vector<uint8_t>(2048, 0x55));
  EXPECT_NE(counted.record.counters.macs, 0u);
  EXPECT_TRUE(sameCounters(uncounted.record.counters, JobCounters{}));
}

TEST(DeterminismTest, ProfilesAreCountedWithoutCounters) {
  const Outcome profiled = runSmallNetwork({.timing = false, .profile = true, .counters = false});
  EXPECT_NE(profiled.record.counters.macs, 0u);
  EXPECT_EQ(profiled.profile.layers.size(), 2u);
}

TEST(DeterminismTest, TimingDoesNotDependOnData) {
  const Outcome both = runSmallNetwork({true, true, false, false});
  const Outcome timed = runSmallNetwork({false, true, false, false});
  EXPECT_TRUE(sameCounters(both.record.counters, timed.record.counters));
  EXPECT_EQ(timed.output, std::vector<uint8_t>(2048, 0x55)); // unchanged
}

/// The observed commands, and the bytes at the place of the network's output after the last one on the array.
struct Observed {
  std::vector<std::pair<Engine, uint32_t>> commands;
  std::vector<uint8_t> output;
};

Observed observeSmallNetwork(bool timing, std::vector<uint8_t> &result) {
  Observed observed;
  DeviceOptions options{.timing = timing};
  options.afterCommand = [&](const CommandEvent &seen) {
    if (seen.operation != "conv" && seen.operation != "dma")
      return;
    observed.commands.emplace_back(seen.engine, seen.command);
    const uint8_t *output = seen.sram.data() + SmallNetwork::kOutput;
    if (seen.engine == kMac)
      observed.output.assign(output, output + 2048);
  };
  result = runSmallNetwork(options).output;
  return observed;
}

TEST(ObserverTest, SeesEachResultWhenItIsWritten) {
  for (bool timing : {true, false}) {
    std::vector<uint8_t> result;
    const Observed observed = observeSmallNetwork(timing, result);
    const std::vector<std::pair<Engine, uint32_t>> expected = {{kDma, 0}, {kDma, 1}, {kDma, 2},
                                                               {kMac, 1}, {kMac, 2}, {kDma, 5}};
    EXPECT_EQ(observed.commands, expected) << timing;
    EXPECT_EQ(observed.output, result) << timing;
  }
}

TEST(ProfileTest, LayersSumToTheJob) {
  const Outcome outcome = runSmallNetwork({true, true, true, false});
  const JobCounters &job = outcome.record.counters;
  ASSERT_EQ(outcome.profile.layers.size(), 2u);
  uint64_t macs = 0, busy = 0, dram = 0;
  for (const LayerCounters &layer : outcome.profile.layers) {
    macs += layer.macs;
    busy += layer.busyCycles[0];
    dram += layer.dramReadBytes + layer.dramWriteBytes;
    EXPECT_LT(layer.startCycle, layer.endCycle);
    EXPECT_LE(layer.endCycle, job.cycles);
  }
  EXPECT_EQ(macs, job.macs);
  EXPECT_EQ(macs, 2u * 64 * 32 * 32);
  EXPECT_EQ(busy, job.busyCycles[0]);
  EXPECT_EQ(dram, job.dramReadBytes + job.dramWriteBytes);
  EXPECT_EQ(job.dramReadBytes, 2048u + 1024 + 384);
  EXPECT_EQ(job.dramWriteBytes, 2048u);
  EXPECT_EQ(outcome.profile.regions, (std::vector<RegionTraffic>{{1, 2048 + 1024 + 384, 2048}}));
  EXPECT_GT(job.energyPicojoules, 0u);
}

/// Busy and stalled cycles of an engine are disjoint parts of the job.
TEST(ProfileTest, EngineCyclesDoNotExceedJobCycles) {
  const Outcome outcome = runSmallNetwork({true, true, true, false});
  const JobCounters &job = outcome.record.counters;
  for (uint32_t kind = 0; kind < kNumEngineKinds; ++kind) {
    const uint64_t stalls =
        std::accumulate(std::begin(job.stallCycles[kind]), std::end(job.stallCycles[kind]), uint64_t{0});
    EXPECT_LE(job.busyCycles[kind] + stalls, job.cycles) << "engine kind " << kind;
  }
  EXPECT_GT(job.busyCycles[0], 0u);
  EXPECT_GT(job.busyCycles[2], 0u);
}

TEST(ProfileTest, TraceHasSpanPerCommand) {
  const Outcome outcome = runSmallNetwork({true, true, false, true});
  // Four copies, two convolutions, and the waits that blocked their engine.
  EXPECT_EQ(std::count_if(outcome.profile.spans.begin(), outcome.profile.spans.end(),
                          [](const CommandSpan &s) { return s.layer != kNoLayer && s.operation != 1; }),
            6);
  for (const CommandSpan &span : outcome.profile.spans)
    EXPECT_LE(span.startCycle, span.endCycle);
}

} // namespace
} // namespace avocet::sim::test
