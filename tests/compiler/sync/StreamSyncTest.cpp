//===- StreamSyncTest.cpp - Streams keep the order of the list --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle knows nothing of intervals or clocks: it compares all pairs of commands byte range by byte range, computes
// what the semaphores order by closing the relation over all commands, and tries each wait without it.
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Conversion/StreamSync.h"

#include "avocet/firmware_iface/Footprint.h"

#include <gtest/gtest.h>

#include <bitset>
#include <map>
#include <random>

namespace avocet::compiler {
namespace {

using firmware::Engine;
using firmware::EngineKind;

constexpr Engine kMac{EngineKind::Mac, 0};
constexpr Engine kDsp{EngineKind::Dsp, 0};
constexpr Engine kDma0{EngineKind::Dma, 0};
constexpr Engine kDma1{EngineKind::Dma, 1};
constexpr size_t kMaxNodes = 1024;

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

bool conflict(const LinearCommand &a, const LinearCommand &b) {
  std::vector<firmware::ByteRange> rangesA, rangesB;
  firmware::appendFootprint(a.command.body, rangesA);
  firmware::appendFootprint(b.command.body, rangesB);
  for (const firmware::ByteRange &x : rangesA)
    for (const firmware::ByteRange &y : rangesB)
      if (x.region == y.region && (x.write || y.write) && x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

/// What is ordered before what, from the streams alone. Edges: within a stream, and from the signal that brings a
/// semaphore to a wait's value to that wait. Requires each semaphore to be signalled by one stream only, else the value
/// names no certain signal; the constructor notes it if not.
class Order {
public:
  /// `skipStream`, `skipCommand` name a wait to ignore, or nothing.
  explicit Order(const std::vector<Stream> &streams, size_t skipStream = SIZE_MAX, size_t skipCommand = SIZE_MAX) {
    std::map<uint32_t, std::vector<size_t>> signals;
    std::map<uint32_t, size_t> signaller;
    for (size_t s = 0; s < streams.size(); ++s)
      for (const StreamCommand &command : streams[s].commands) {
        nodes_.push_back(&command);
        if (auto *signal = std::get_if<firmware::SignalCommand>(&command.command.body)) {
          signals[signal->semaphore].push_back(nodes_.size() - 1);
          sound_ &= signaller.emplace(signal->semaphore, s).first->second == s;
        }
      }
    size_t node = 0;
    predecessors_.resize(nodes_.size());
    for (size_t s = 0; s < streams.size(); ++s)
      for (size_t c = 0; c < streams[s].commands.size(); ++c, ++node) {
        if (c > 0)
          predecessors_[node].push_back(node - 1);
        auto *wait = std::get_if<firmware::WaitCommand>(&streams[s].commands[c].command.body);
        if (!wait || (s == skipStream && c == skipCommand))
          continue;
        sound_ &= wait->value >= 1 && wait->value <= signals[wait->semaphore].size();
        if (sound_)
          predecessors_[node].push_back(signals[wait->semaphore][wait->value - 1]);
      }
    close();
  }

  /// Every wait can be satisfied and nothing waits for itself.
  bool isSound() const { return sound_; }

  /// By index in the list.
  bool isBefore(uint32_t first, uint32_t second) const { return before_[nodeOf(second)][nodeOf(first)]; }

private:
  bool isWork(size_t node) const {
    const firmware::CommandBody &body = nodes_[node]->command.body;
    return !std::holds_alternative<firmware::WaitCommand>(body) &&
           !std::holds_alternative<firmware::SignalCommand>(body);
  }

  size_t nodeOf(uint32_t source) const { return nodeOfSource_.at(source); }

  void close() {
    before_.resize(nodes_.size());
    for (size_t node = 0; node < nodes_.size(); ++node)
      if (isWork(node))
        nodeOfSource_[nodes_[node]->source] = node;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t node = 0; node < nodes_.size(); ++node) {
        std::bitset<kMaxNodes> old = before_[node];
        for (size_t predecessor : predecessors_[node])
          before_[node] |= before_[predecessor] | std::bitset<kMaxNodes>().set(predecessor);
        changed |= before_[node] != old;
      }
    }
    for (size_t node = 0; node < nodes_.size(); ++node)
      sound_ &= !before_[node][node];
  }

  std::vector<const StreamCommand *> nodes_;
  std::vector<std::vector<size_t>> predecessors_;
  std::vector<std::bitset<kMaxNodes>> before_;
  std::map<uint32_t, size_t> nodeOfSource_;
  bool sound_ = true;
};

/// The first pair of the list that conflicts and is not ordered, as text; empty if there is none.
std::string unorderedPair(std::span<const LinearCommand> list, const Order &order) {
  for (uint32_t j = 0; j < list.size(); ++j)
    for (uint32_t i = 0; i < j; ++i)
      if (conflict(list[i], list[j]) && !order.isBefore(i, j))
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
      if (std::holds_alternative<firmware::WaitCommand>(synced.streams[s].commands[c].command.body))
        EXPECT_NE(unorderedPair(list, Order(synced.streams, s, c)), "") << "stream " << s << " command " << c;
}

/// Each command of the list stands in its engine's stream once, in the list's order, unchanged.
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

TEST(StreamSync, independentCommandsNeedNoSemaphore) {
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64), copy(kMac, 0, 128, 0, 256, 64)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(synced.semaphores, 0u);
  EXPECT_EQ(waits(synced) + signals(synced), 0u);
  ASSERT_EQ(synced.streams.size(), 2u);
  EXPECT_EQ(synced.streams[0].engine, kMac);
  EXPECT_EQ(synced.streams[1].engine, kDma0);
}

TEST(StreamSync, readerWaitsForWriter) {
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64, 3), copy(kMac, 0, 63, 0, 256, 1, 4)};
  SyncedStreams synced = split(list);
  ASSERT_EQ(synced.streams.size(), 2u);
  ASSERT_EQ(synced.streams[0].commands.size(), 2u);
  EXPECT_EQ(synced.streams[0].commands[0].command, (firmware::Command{4, firmware::WaitCommand{0, 1}}));
  ASSERT_EQ(synced.streams[1].commands.size(), 2u);
  EXPECT_EQ(synced.streams[1].commands[1].command, (firmware::Command{3, firmware::SignalCommand{0}}));
}

TEST(StreamSync, writerWaitsForAllReadersSinceTheLastWrite) {
  std::vector<LinearCommand> list = {copy(kMac, 0, 0, 0, 512, 64), copy(kDsp, 0, 0, 0, 1024, 64),
                                     copy(kDma0, 1, 0, 0, 0, 64)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(waits(synced), 2u);
  EXPECT_EQ(unorderedPair(list, Order(synced.streams)), "");
}

TEST(StreamSync, sameEngineNeedsNothing) {
  std::vector<LinearCommand> list = {copy(kMac, 0, 0, 0, 64, 64), copy(kMac, 0, 64, 0, 0, 64)};
  EXPECT_EQ(waits(split(list)), 0u);
}

TEST(StreamSync, impliedWaitsAreLeftOut) {
  // dma -> mac -> dsp, and dsp also reads what dma wrote: waiting for mac is enough.
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64), copy(kMac, 0, 0, 0, 64, 64),
                                     copy(kDsp, 0, 0, 0, 128, 128)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(waits(synced), 2u);
  EXPECT_EQ(unorderedPair(list, Order(synced.streams)), "");
}

TEST(StreamSync, signalsOnlyWhereAwaited) {
  std::vector<LinearCommand> list;
  for (uint32_t i = 0; i < 10; ++i)
    list.push_back(copy(kDma0, 1, i * 64, 0, i * 64, 64));
  list.push_back(copy(kMac, 0, 0, 0, 4096, 640));
  SyncedStreams synced = split(list);
  EXPECT_EQ(signals(synced), 1u);
  EXPECT_EQ(synced.streams[1].commands.back().source, 9u);
}

TEST(StreamSync, overlapInsideARangeIsFound) {
  // The second write splits the first one's range in three; each part must still name its own writer.
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 96), copy(kDma1, 1, 0, 0, 32, 32),
                                     copy(kMac, 0, 0, 0, 1000, 16), copy(kDsp, 0, 40, 0, 2000, 8),
                                     copy(kMac, 0, 80, 0, 3000, 16)};
  SyncedStreams synced = split(list);
  EXPECT_EQ(unorderedPair(list, Order(synced.streams)), "");
  expectNoWaitIsSpare(list, synced);
}

TEST(StreamSync, limitsAreErrors) {
  std::vector<LinearCommand> list = {copy(kDma0, 1, 0, 0, 0, 64), copy(kMac, 0, 0, 0, 64, 64)};
  EXPECT_EQ(splitStreams(list, 0).status().code(), StatusCode::ResourceExhausted);
  list.clear();
  for (uint32_t channel = 0; channel <= kMaxEngines; ++channel)
    list.push_back(copy({EngineKind::Dma, channel}, 1, 0, 0, 0, 64));
  EXPECT_EQ(splitStreams(list, 64).status().code(), StatusCode::Unsupported);
}

TEST(StreamSync, emptyListIsEmptyProgram) { EXPECT_TRUE(split({}).streams.empty()); }

class RandomPrograms : public testing::TestWithParam<uint32_t> {};

/// Few bytes and many commands, so that most pairs conflict somewhere and waits imply each other in many ways.
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

TEST_P(RandomPrograms, everyConflictIsOrderedAndNoWaitIsSpare) {
  for (uint32_t round = 0; round < 5; ++round) {
    std::vector<LinearCommand> list = randomList(GetParam() * 100 + round);
    SyncedStreams synced = split(list);
    expectComplete(list, synced);
    Order order(synced.streams);
    ASSERT_TRUE(order.isSound());
    EXPECT_EQ(unorderedPair(list, order), "");
    if (round == 0)
      expectNoWaitIsSpare(list, synced);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0u, 20u));

/// A chain of layers with two buffers in turn, weights fetched one layer ahead.
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

TEST(StreamSync, longChainsKeepOneWaitAndSignalPerDependence) {
  SyncedStreams synced = split(chain(10000));
  // Each layer's weights are awaited once; each transfer but the first two waits for the buffer's last reader.
  EXPECT_EQ(waits(synced), 10000u + 9998u);
  EXPECT_EQ(signals(synced), 10000u + 9998u);
  EXPECT_EQ(synced.semaphores, 2u);
}

} // namespace
} // namespace avocet::compiler
