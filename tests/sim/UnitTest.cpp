//===- UnitTest.cpp - Unit tests of the simulator ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"

#include "engines/RowHistory.h"
#include "job/DmaShape.h"
#include "job/Semaphores.h"
#include "memory/Mmu.h"
#include "timing/BandwidthCalendar.h"
#include "timing/EventQueue.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace avocet::sim::test {
namespace {

using namespace firmware;

TEST(EventQueueTest, OrdersByTimeThenInsertion) {
  EventQueue queue;
  queue.push(5, 1, EventKind::Step);
  queue.push(3, 2, EventKind::Step);
  queue.push(5, 3, EventKind::Complete);
  queue.push(3, 4, EventKind::Step);
  std::vector<uint32_t> order;
  while (!queue.empty())
    order.push_back(queue.pop().engine);
  EXPECT_EQ(order, (std::vector<uint32_t>{2, 4, 1, 3}));
}

TEST(BandwidthCalendarTest, UncontendedTransferTakesBytesOverRate) {
  BandwidthCalendar port({8, 1});
  EXPECT_EQ(port.reserve(10, 1000), 10u + 125u);
  EXPECT_EQ(port.reserve(135, 8), 136u);
  EXPECT_EQ(port.reserve(100000, 1), 100001u);
  EXPECT_EQ(port.reserve(7, 0), 7u);
}

TEST(BandwidthCalendarTest, FractionalRateIsExact) {
  BandwidthCalendar port({15, 4});
  EXPECT_EQ(port.reserve(0, 15), 4u);
  BandwidthCalendar other({15, 4});
  EXPECT_EQ(other.reserve(0, 15000), 4000u);
}

TEST(BandwidthCalendarTest, SlowRequesterLeavesRemainingBandwidth) {
  BandwidthCalendar port({8, 1});
  // 1 byte per cycle for 640 cycles, then a request for the whole port: it gets 7/8 of the port while they overlap.
  EXPECT_EQ(port.reserve(0, 640, 64), 640u);
  EXPECT_EQ(port.reserve(0, 448 * 10), 640u - 8u); // 448 bytes of each quantum; the last ones are moved in 56 cycles
}

TEST(BandwidthCalendarTest, LaterRequestFillsEarlierGap) {
  BandwidthCalendar port({8, 1});
  EXPECT_EQ(port.reserve(640, 5120), 1280u);
  EXPECT_EQ(port.reserve(0, 5120), 640u);
  EXPECT_EQ(port.reserve(0, 8), 1281u);
}

TEST(BandwidthCalendarTest, GrowsAndDropsOldQuanta) {
  BandwidthCalendar port({1, 1});
  const uint64_t far = uint64_t{1} << 20;
  EXPECT_EQ(port.reserve(far, 64), far + 64);
  EXPECT_EQ(port.reserve(far, 64), far + 128);
  port.forget(far + 128);
  EXPECT_EQ(port.reserve(far + 128, 64), far + 192);
  port.forget(far * 64);
  EXPECT_EQ(port.reserve(far * 64, 64), far * 64 + 64);
}

/// A port by its definition: a list of all quanta, which each request searches from its time on.
class PlainPort {
public:
  uint64_t reserve(uint64_t earliest, uint64_t bytes, uint64_t rate) {
    constexpr uint64_t kQuantum = BandwidthCalendar::kQuantum;
    uint64_t end = earliest;
    for (uint64_t from = earliest; bytes != 0; from = (from / kQuantum + 1) * kQuantum) {
      uint64_t &used = used_[from / kQuantum];
      const uint64_t inTime = ((from / kQuantum + 1) * kQuantum - from) * rate / kQuantum;
      const uint64_t taken = std::min({kBytes - used, inTime, bytes});
      used += taken;
      bytes -= taken;
      if (taken != 0)
        end = from + (taken * kQuantum + rate - 1) / rate;
    }
    return end;
  }

  static constexpr uint64_t kBytes = 512; ///< of a quantum

private:
  std::map<uint64_t, uint64_t> used_;
};

TEST(BandwidthCalendarTest, RandomRequestsMatchPlainSearch) {
  std::mt19937 random(1);
  BandwidthCalendar port({8, 1});
  PlainPort plain;
  uint64_t now = 0;
  for (int i = 0; i < 1500; ++i) {
    now += random() % 4 == 0 ? random() % 700 : 0;
    port.forget(now);
    const uint64_t earliest = now + random() % (i % 7 == 0 ? 20000 : 500);
    const uint64_t bytes = random() % (i % 11 == 0 ? 20000 : 700), rate = 1 + random() % PlainPort::kBytes;
    ASSERT_EQ(port.reserve(earliest, bytes, rate), plain.reserve(earliest, bytes, rate)) << "request " << i;
  }
}

TEST(BandwidthCalendarTest, RequestForDroppedTimeIsPlacedAfterIt) {
  BandwidthCalendar port({8, 1});
  port.forget(1000); // quantum 15 begins at 960
  EXPECT_EQ(port.reserve(10, 80), 970u);
  EXPECT_EQ(port.reserve(10, 0), 10u);
}

TEST(SemaphoreTest, WakesWhenTheCountIsReached) {
  Semaphores semaphores(2);
  std::vector<uint32_t> woken;
  auto wake = [&](uint32_t engine) { woken.push_back(engine); };
  EXPECT_TRUE(semaphores.isReached(1, 0));
  EXPECT_FALSE(semaphores.isReached(1, 1));
  semaphores.wait(1, 2, 7);
  semaphores.wait(1, 1, 8);
  semaphores.signal(0, wake);
  EXPECT_TRUE(woken.empty());
  semaphores.signal(1, wake);
  EXPECT_EQ(woken, (std::vector<uint32_t>{8}));
  semaphores.signal(1, wake);
  EXPECT_EQ(woken, (std::vector<uint32_t>{8, 7}));
  EXPECT_TRUE(semaphores.isReached(1, 2));
}

TEST(DmaShapeTest, MergesAdjacentRuns) {
  DmaCommand dma = load(1, 0, 0, 16);
  dma.count0 = 4, dma.count1 = 3, dma.count2 = 2;
  dma.source.stride0 = dma.destination.stride0 = 16;
  dma.source.stride1 = 64, dma.destination.stride1 = 64;
  dma.source.stride2 = 1000, dma.destination.stride2 = 192;
  DmaCommand shape = folded(dma);
  EXPECT_EQ(shape.runBytes, 192u);
  EXPECT_EQ(shape.count0, 2u);
  EXPECT_EQ(shape.count1 * shape.count2, 1u);
  EXPECT_EQ(shape.source.stride0, 1000u);
  EXPECT_EQ(bytesOf(shape), bytesOf(dma));
}

TEST(DmaShapeTest, BytesSaturate) {
  DmaCommand dma = load(1, 0, 0, UINT32_MAX);
  dma.count0 = dma.count1 = dma.count2 = UINT32_MAX;
  EXPECT_EQ(bytesOf(dma), UINT64_MAX);
}

TEST(BusTest, RangesDoNotOverlap) {
  Bus bus;
  std::vector<uint8_t> memory(100);
  EXPECT_TRUE(bus.attach(1000, memory).isOk());
  EXPECT_EQ(bus.attach(1099, memory).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(bus.attach(901, memory).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(bus.attach(UINT64_MAX - 10, memory).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(bus.attach(1100, memory).isOk());
  EXPECT_EQ(bus.find(1099, 50).size(), 1u);
  EXPECT_EQ(bus.find(1100, 50).size(), 50u);
  EXPECT_TRUE(bus.find(999, 1).empty());
  EXPECT_TRUE(bus.find(1200, 1).empty());
  EXPECT_TRUE(bus.detach(1000).isOk());
  EXPECT_EQ(bus.detach(1000).code(), StatusCode::NotFound);
  EXPECT_TRUE(bus.find(1050, 1).empty());
}

TEST(MmuTest, ReadsAcrossMappingsAndStopsAtHoles) {
  Bus bus;
  std::vector<uint8_t> first(kPageBytes), second(kPageBytes);
  std::iota(first.begin(), first.end(), 0);
  second[0] = 200;
  ASSERT_TRUE(bus.attach(0x10000, first).isOk());
  ASSERT_TRUE(bus.attach(0x40000, second).isOk());
  Mmu mmu(bus);
  ASSERT_EQ(mmu.map({1, access::kRead | access::kWrite, 0x1000, 0x10000, kPageBytes}), ReplyCode::Ok);
  ASSERT_EQ(mmu.map({1, access::kRead, 0x2000, 0x40000, kPageBytes}), ReplyCode::Ok);
  uint8_t bytes[2];
  uint64_t bad = 0;
  EXPECT_TRUE(mmu.read(0x1FFF, bytes, bad));
  EXPECT_EQ(bytes[0], 255);
  EXPECT_EQ(bytes[1], 200);
  EXPECT_FALSE(mmu.read(0x2FFF, bytes, bad));
  EXPECT_EQ(bad, 0x3000u);
  EXPECT_FALSE(mmu.write(0x1FFF, bytes, bad)); // the second page is read-only
  EXPECT_EQ(bad, 0x2000u);
  ASSERT_TRUE(bus.detach(0x10000).isOk()); // mapped, but without memory
  EXPECT_FALSE(mmu.read(0x1000, bytes, bad));
}

/// A command whose input and output are the given maps.
PreparedCommand commandOf(const FeatureMap &input, const FeatureMap &output) {
  PreparedCommand command;
  PoolCommand pool;
  pool.input = input, pool.output = output;
  command.command.body = pool;
  appendFootprint(command.command.body, command.ranges);
  return command;
}

/// Blocks that read the first rows of the input.
kernels::BlockRun inputRows(uint32_t rows) { return {.inputRowsEnd = rows}; }

TEST(RowHistoryTest, RowsOfSameTensorAreTracked) {
  const auto middle = tensor(1000, 8, 4, 4);
  const auto producer = commandOf(tensor(0, 8, 4, 4), middle);
  auto window = middle; // rows 2 to 5 of it
  window.address += 2 * middle.rowStride;
  window.height = window.ringRows = 4;
  const auto consumer = commandOf(window, tensor(5000, 4, 4, 4));
  RowHistory history;
  history.begin(producer, 0);
  history.addRows(4, 100);
  history.addRows(8, 200);
  history.finish(200);
  history.begin(consumer, 10);
  EXPECT_EQ(history.readyTime(inputRows(1)), 100u); // row 2
  EXPECT_EQ(history.readyTime(inputRows(2)), 100u); // row 3
  EXPECT_EQ(history.readyTime(inputRows(3)), 200u); // row 4
}

TEST(RowHistoryTest, RowsOfRingAreTracked) {
  FeatureMap ring = tensor(1000, 2, 4, 4);
  ring.ringRows = 4;
  ring.firstRow = 3; // writes ring rows 3 and 0
  const auto producer = commandOf(tensor(0, 2, 4, 4), ring);
  FeatureMap window = ring;
  window.firstRow = 2; // reads ring rows 2, 3, 0
  window.height = 3;
  const auto consumer = commandOf(window, tensor(5000, 1, 4, 4));
  RowHistory history;
  history.begin(producer, 0);
  history.addRows(1, 100);
  history.addRows(2, 200);
  history.finish(200);
  history.begin(consumer, 10);
  EXPECT_EQ(history.readyTime(inputRows(1)), 0u);
  EXPECT_EQ(history.readyTime(inputRows(2)), 100u);
  EXPECT_EQ(history.readyTime(inputRows(3)), 200u);
}

TEST(RowHistoryTest, OtherLayoutWaitsForCompletion) {
  const auto producer = commandOf(tensor(0, 8, 4, 4), tensor(1000, 8, 4, 4));
  const auto consumer = commandOf(tensor(1000, 1, 1, 128), tensor(5000, 1, 1, 128));
  const auto stranger = commandOf(tensor(9000, 4, 4, 4), tensor(9500, 4, 4, 4));
  RowHistory history;
  history.begin(producer, 0);
  history.addRows(8, 150);
  history.finish(200);
  history.begin(stranger, 10);
  EXPECT_EQ(history.readyTime(inputRows(4)), 0u);
  history.finish(250);
  history.begin(consumer, 20);
  EXPECT_EQ(history.readyTime(inputRows(1)), 200u);
  history.finish(300);
  history.begin(consumer, 250); // the producer is complete
  EXPECT_EQ(history.readyTime(inputRows(1)), 0u);
}

/// When a reader of 8 rows can begin, if a command writes 8 rows until cycle 200.
uint64_t readyAfter(const FeatureMap &written, const FeatureMap &read) {
  const auto producer = commandOf(tensor(0, 8, written.width, written.channels), written);
  const auto consumer = commandOf(read, tensor(5000, 8, read.width, read.channels));
  RowHistory history;
  history.begin(producer, 0);
  history.addRows(8, 200);
  history.finish(200);
  history.begin(consumer, 10);
  return history.readyTime(inputRows(8));
}

TEST(RowHistoryTest, OtherColumnsOfSameRowsAreIndependent) {
  const auto sum = tensor(1000, 8, 12, 3);
  const auto columns = [&](uint32_t first, uint32_t count) {
    FeatureMap map = sum;
    map.address += 3 * first;
    map.width = count;
    return map;
  };
  EXPECT_EQ(readyAfter(columns(0, 5), columns(5, 2)), 0u);
  EXPECT_EQ(readyAfter(columns(7, 5), columns(5, 2)), 0u);
  EXPECT_EQ(readyAfter(columns(0, 6), columns(5, 2)), 200u);
  EXPECT_EQ(readyAfter(columns(6, 6), columns(5, 2)), 200u);
}

TEST(RowHistoryTest, OtherChannelsOfSamePixelsAreIndependent) {
  const auto sum = tensor(1000, 8, 4, 24);
  const auto channels = [&](uint32_t first, uint32_t count) {
    FeatureMap map = sum;
    map.address += first;
    map.channels = count;
    return map;
  };
  EXPECT_EQ(readyAfter(channels(0, 8), channels(8, 4)), 0u);
  EXPECT_EQ(readyAfter(channels(12, 12), channels(8, 4)), 0u);
  EXPECT_EQ(readyAfter(channels(0, 9), channels(8, 4)), 200u);
  EXPECT_EQ(readyAfter(channels(11, 12), channels(8, 4)), 200u);
  FeatureMap wide = channels(12, 4); // rows of other pixels: its channels are not those of the sum's pixels
  wide.rowStride += 4;
  EXPECT_EQ(readyAfter(channels(0, 8), wide), 200u);
}

} // namespace
} // namespace avocet::sim::test
