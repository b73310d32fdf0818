//===- PlanClockTest.cpp - Times of partial plans -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers by hand for e256: the off-chip port moves 1 byte per cycle, reads arrive 64 cycles later.
//
//===----------------------------------------------------------------------===//

#include "Networks.h"
#include "PlanSteps.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

class PlanClockTest : public testing::Test {
protected:
  PlanClockTest() : target_(*firmware::Target::load("e256")) {}
  void add(const CascadeLoad &load) { clock_.add(*target_, load); }

  std::shared_ptr<const firmware::Target> target_;
  PlanClock clock_;
};

TEST_F(PlanClockTest, FirstTileWaitsForItsConstants) {
  add({.cycles = 100, .loadedBytes = 1000, .firstBytes = 1000, .freeBytes = 4000});
  EXPECT_EQ(clock_.computed(), 1000 + 64 + 100u);
  EXPECT_EQ(clock_.position(), 1000u);
}

TEST_F(PlanClockTest, ConstantsAreLoadedWhileEarlierTilesRun) {
  add({.cycles = 5000, .freeBytes = 4000});
  EXPECT_EQ(clock_.position(), 1000u) << "4000 bytes ahead of the last tile";
  add({.cycles = 100, .loadedBytes = 3000, .firstBytes = 3000, .freeBytes = 4000});
  EXPECT_EQ(clock_.computed(), 5100u);
}

TEST_F(PlanClockTest, FullSramStopsThePort) {
  add({.cycles = 5000, .freeBytes = 0});
  EXPECT_EQ(clock_.position(), 5000u);
  add({.cycles = 100, .loadedBytes = 3000, .firstBytes = 3000, .freeBytes = 0});
  EXPECT_EQ(clock_.computed(), 5000 + 3000 + 64 + 100u);
}

TEST_F(PlanClockTest, PartsArriveWhileTheirTilesRun) {
  add({.cycles = 2000, .lastCycles = 500, .loadedBytes = 4000, .firstBytes = 1000, .freeBytes = 0});
  EXPECT_EQ(clock_.computed(), 4000 + 64 + 500u) << "the last part's tiles come after its transfer";
}

TEST_F(PlanClockTest, RepeatedLoadsCannotComeEarly) {
  add({.cycles = 5000, .freeBytes = 100'000});
  add({.cycles = 100, .lastCycles = 50, .loadedBytes = 8000, .firstBytes = 500, .aheadBytes = 1000, .freeBytes = 0});
  EXPECT_EQ(clock_.computed(), 5000 - 1000 + 8000 + 64 + 50u);
}

TEST_F(PlanClockTest, BytesInFlightLimitLoads) {
  target_ = targetWith("e256", "dram.bandwidth", "16"); // 512 bytes in flight arrive after 64 cycles
  add({.cycles = 100, .loadedBytes = 8000, .firstBytes = 8000, .freeBytes = 0});
  EXPECT_EQ(clock_.computed(), 1000 + 64 + 100u);
}

TEST_F(PlanClockTest, RowsWaitUntilEarlierOnesHaveBeenRead) {
  CascadeLoad load{.cycles = 400, .movedBytes = 1000, .rowLoads = 10, .rowBytes = 1000, .freeBytes = 0};
  add(load); // two rows in turn for each load and its latency, 164 cycles, and a tile of 40
  EXPECT_EQ(clock_.computed(), (10 * 164 + 400) / 2u);
  clock_ = {};
  load.rowsAhead = 2;
  add(load);
  EXPECT_EQ(clock_.computed(), 1000u) << "the port is the limit";
}

TEST_F(PlanClockTest, SpilledRowsWaitForThePort) {
  add({.cycles = 1000, .movedBytes = 3000, .edgeStores = 200, .freeBytes = 0}); // stores its result
  EXPECT_EQ(clock_.computed(), 2800u) << "the rows before the last ones have left";
  EXPECT_EQ(clock_.position(), 3000u);
  add({.cycles = 1000, .movedBytes = 3000, .edgeLoads = 300, .freeBytes = 0}); // reads it back
  EXPECT_EQ(clock_.computed(), 3000 + 300 + 64 + 2700u);
}

} // namespace
} // namespace avocet::compiler::schedule
