//===- StreamSyncTest.cpp - Streams keep the order of the list --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists here are small, so that the oracle can check all pairs of commands, also without each single wait.
//
//===----------------------------------------------------------------------===//

#include "StreamOrder.h"

#include <gtest/gtest.h>

#include <random>

namespace avocet::compiler {
namespace {

using firmware::Engine;
using firmware::EngineKind;

constexpr Engine kMac{EngineKind::Mac, 0};
constexpr Engine kDsp{EngineKind::Dsp, 0};
constexpr Engine kDma0{EngineKind::Dma, 0};
constexpr Engine kDma1{EngineKind::Dma, 1};

/// A copy of `bytes` bytes; stands for any command, since only its footprint matters here.
LinearCommand copy(Engine engine, uint32_t fromRegion, uint64_t from, uint32_t toRegion, uint64_t to, uint32_t bytes,
                   uint32_t layer = 0) {
  firmware::DmaCommand dma;
  dma.source.region = fromRegion;
  dma.source.offset = from;
  dma.destination.region = toRegion;
  dma.destination.offset = to;
  dma.runBytes = bytes;
  return {engine, {layer, dma}};
}

/// The first pair of the list that conflicts and is not ordered, as text; empty if there is none.
std::string unorderedPair(std::span<const LinearCommand> list, const StreamOrder &order) {
  for (uint32_t j = 0; j < list.size(); ++j)
    for (uint32_t i = 0; i < j; ++i)
      if (conflict(list[i].command.body, list[j].command.body) && !order.isBefore(i, j))
        return std::to_string(i) + " and " + std::to_string(j);
  return "";
}

size_t countOf(const SyncedStreams &synced, auto &&wanted) {
  size_t count = 0;
  for (const Stream &stream : synced.streams)
    for (const StreamCommand &command : stream.commands)
      count += wanted(command.command.body);
  return count;
}
size_t waits(const SyncedStreams &synced) {
  return countOf(synced, [](const auto &body) { return std::holds_alternative<firmware::WaitCommand>(body); });
}
size_t signals(const SyncedStreams &synced) {
  return countOf(synced, [](const auto &body) { return std::holds_alternative<firmware::SignalCommand>(body); });
}

/// Removing any one wait must leave a conflicting pair unordered.
void expectNoWaitIsSpare(std::span<const LinearCommand> list, const SyncedStreams &synced) {
  for (size_t s = 0; s < synced.streams.size(); ++s)
    for (size_t c = 0; c < synced.streams[s].commands.size(); ++c)
      if (std::holds_alternative<firmware::WaitCommand>(synced.streams[s].commands[c].command.body)) {
        EXPECT_NE(unorderedPair(list, StreamOrder(synced.streams, s, c)), "") << "stream " << s << " command " << c;
      }
}

/// Each command of the list must be in its engine's stream once, in the list's order, unchanged.
void expectComplete(std::span<const LinearCommand> list, const SyncedStreams &synced) {
  size_t found = 0;
  for (const Stream &stream : synced.streams) {
    int64_t last = -1;
    for (const StreamCommand &command : stream.commands) {
      ASSERT_LT(command.source, list.size());
      if (command.command != list[command.source].command)
        continue;
      ++found;
      EXPECT_EQ(list[command.source].engine, stream.engine);
      EXPECT_GT(static_cast<int64_t>(command.source), last);
      last = command.source;
    }
  }
  EXPECT_EQ(found, list.size());
}

SyncedStreams split(std::span<const LinearCommand> list) {
  Result<SyncedStreams> synced = splitStreams(list, 64);
  EXPECT_TRUE(synced.isOk()) << synced.status().toString();
  return synced.isOk() ? *synced : SyncedStreams();
}

TEST(StreamSync, IndependentCommandsNeedNoSemaphore) {
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64), copy(kMac, 0, 128, 0, 256, 64)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(synced.semaphores, 0u);
  EXPECT_EQ(waits(synced) + signals(synced), 0u);
  ASSERT_EQ(synced.streams.size(), 2u);
  EXPECT_EQ(synced.streams[0].engine, kMac);
  EXPECT_EQ(synced.streams[1].engine, kDma0);
}

TEST(StreamSync, ReaderWaitsForWriter) {
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64, 3), copy(kMac, 0, 63, 0, 256, 1, 4)};
  SyncedStreams synced = split(list);
  ASSERT_EQ(synced.streams.size(), 2u);
  ASSERT_EQ(synced.streams[0].commands.size(), 2u);
  EXPECT_EQ(synced.streams[0].commands[0].command, (firmware::Command{4, firmware::WaitCommand{0, 1}}));
  ASSERT_EQ(synced.streams[1].commands.size(), 2u);
  EXPECT_EQ(synced.streams[1].commands[1].command, (firmware::Command{3, firmware::SignalCommand{0}}));
}

TEST(StreamSync, WriterWaitsForReadersSinceLastWrite) {
  std::vector<LinearCommand> list = {copy(kMac, 0, 0, 0, 512, 64), copy(kDsp, 0, 0, 0, 1024, 64),
                                     copy(kDma0, 1, 0, 0, 0, 64)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(waits(synced), 2u);
  EXPECT_EQ(unorderedPair(list, StreamOrder(synced.streams)), "");
}

TEST(StreamSync, SameEngineNeedsNoWait) {
  std::vector<LinearCommand> list = {copy(kMac, 0, 0, 0, 64, 64), copy(kMac, 0, 64, 0, 0, 64)};
  EXPECT_EQ(waits(split(list)), 0u);
}

TEST(StreamSync, OmitsImpliedWaits) {
  // dma -> mac -> dsp, and dsp also reads dma's output: a wait for mac is enough.
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64), copy(kMac, 0, 0, 0, 64, 64),
                                     copy(kDsp, 0, 0, 0, 128, 128)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(waits(synced), 2u);
  EXPECT_EQ(unorderedPair(list, StreamOrder(synced.streams)), "");
}

TEST(StreamSync, SignalsOnlyAwaitedCommands) {
  std::vector<LinearCommand> list;
  for (uint32_t i = 0; i < 10; ++i)
    list.push_back(copy(kDma0, 1, i * 64, 0, i * 64, 64));
  list.push_back(copy(kMac, 0, 0, 0, 4096, 640));
  SyncedStreams synced = split(list);
  EXPECT_EQ(signals(synced), 1u);
  EXPECT_EQ(synced.streams[1].commands.back().source, 9u);
}

TEST(StreamSync, OrdersOverlapInsideRange) {
  // The second write splits the first one's range in three; readers of each part must wait for its writer.
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 96), copy(kDma1, 1, 0, 0, 32, 32),
                                     copy(kMac, 0, 0, 0, 1000, 16), copy(kDsp, 0, 40, 0, 2000, 8),
                                     copy(kMac, 0, 80, 0, 3000, 16)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(unorderedPair(list, StreamOrder(synced.streams)), "");
  expectNoWaitIsSpare(list, synced);
}

TEST(StreamSync, ExceededLimitsAreErrors) {
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64), copy(kMac, 0, 0, 0, 64, 64)};
  EXPECT_EQ(splitStreams(list, 0).status().code(), StatusCode::ResourceExhausted);
  list.clear();
  for (uint32_t channel = 0; channel <= kMaxEngines; ++channel)
    list.push_back(copy({EngineKind::Dma, channel}, 1, 0, 0, 0, 64));
  EXPECT_EQ(splitStreams(list, 64).status().code(), StatusCode::Unsupported);
}

TEST(StreamSync, EmptyListGivesNoStreams) { EXPECT_TRUE(split({}).streams.empty()); }

class RandomPrograms : public testing::TestWithParam<uint32_t> {};

/// A random list with few bytes and many commands, so that most pairs conflict and waits imply each other in many ways.
std::vector<LinearCommand> randomList(uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  const Engine engines[] = {kMac, kDsp, kDma0, kDma1, {EngineKind::Dma, 2}};
  uint32_t numEngines = 2 + below(4), space = 16u << below(6), length = 20 + below(60);
  std::vector<LinearCommand> list;
  while (list.size() < length) {
    uint32_t bytes = 1 + below(space / 4);
    list.push_back(copy(engines[below(numEngines)], below(2), below(space), below(3), below(space), bytes,
                        static_cast<uint32_t>(list.size())));
  }
  return list;
}

TEST_P(RandomPrograms, OrdersEveryConflictWithoutRedundantWaits) {
  for (uint32_t round = 0; round < 5; ++round) {
    std::vector<LinearCommand> list = randomList(GetParam() * 100 + round);
    SyncedStreams synced = split(list);
    expectComplete(list, synced);
    StreamOrder order(synced.streams);
    ASSERT_TRUE(order.isSound());
    EXPECT_EQ(unorderedPair(list, order), "");
    if (round == 0)
      expectNoWaitIsSpare(list, synced);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0u, 20u));

/// A chain of layers that alternate between two buffers; weights are fetched one layer ahead.
std::vector<LinearCommand> chain(uint32_t layers) {
  std::vector<LinearCommand> list;
  for (uint32_t layer = 0; layer < layers; ++layer) {
    uint64_t weights = 4096 + (layer % 2) * 1024;
    list.push_back(copy(kDma0, 2, uint64_t{layer} * 1024, 0, weights, 1024, layer));
    list.push_back(copy(kMac, 0, (layer % 2) * 2048, 0, ((layer + 1) % 2) * 2048, 1024, layer));
    list.push_back(copy(kMac, 0, weights, 0, 8192, 1024, layer));
  }
  return list;
}

TEST(StreamSync, LongChainHasOneWaitPerDependence) {
  SyncedStreams synced = split(chain(10000));
  // Each layer waits once for its weights; each transfer but the first two waits for the buffer's last reader.
  EXPECT_EQ(waits(synced), 10000u + 9998u);
  EXPECT_EQ(signals(synced), 10000u + 9998u);
  EXPECT_EQ(synced.semaphores, 2u);
}

} // namespace
} // namespace avocet::compiler
