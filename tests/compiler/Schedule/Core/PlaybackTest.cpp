//===- PlaybackTest.cpp - Times of ordered sequences ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers by hand for m512: 15 bytes per 4 cycles off chip, 16 bytes per cycle on chip, reads arrive after 500 cycles,
// a semaphore takes 4.
//
//===----------------------------------------------------------------------===//

#include "Transfers/Playback.h"
#include "Networks.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

class PlaybackTest : public testing::Test {
protected:
  PlaybackTest() : target_(*firmware::Target::load("m512")) {}

  void tile(StepTime time, double waits = 0) {
    steps_.push_back(uint32_t(sequence_.steps.size()));
    sequence_.steps.emplace_back().time = time;
    sequence_.steps.back().waits = waits;
  }
  void dspTile(StepTime time, uint32_t after = kNone) {
    tile(time);
    sequence_.steps.back().command = firmware::DspCommand();
    sequence_.steps.back().after = after;
  }
  PlayedTimes times() const { return playTimes(*target_, sequence_, steps_, transfers_); }
  uint64_t played() const { return times().cycles; }

  std::shared_ptr<const firmware::Target> target_;
  Sequence sequence_;
  std::vector<uint32_t> steps_;
  std::vector<PlayedTransfer> transfers_;
};

TEST_F(PlaybackTest, OneTileTakesItsCycles) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  EXPECT_EQ(played(), 160u);
}

TEST_F(PlaybackTest, NextTileFillsWhileTheLastBlockComputes) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  EXPECT_EQ(played(), 40 + 100 + 100 + 20u);
}

TEST_F(PlaybackTest, ShortLastBlockHidesLessOfTheFill) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 10});
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 10});
  EXPECT_EQ(played(), 40 + 100 + (40 - 10) + 100 + 20u);
}

TEST_F(PlaybackTest, ReaderWaitsUntilItsRowsHaveDrained) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100}, 1);
  EXPECT_EQ(played(), 160 + 160u);
  sequence_.steps.back().waits = 0.5;
  EXPECT_EQ(played(), 40 + 50 + 20 + 40 + 100 + 20u) << "half of the rows are enough";
}

TEST_F(PlaybackTest, EnginesRunAtTheSameTime) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  dspTile({.cycles = 150, .fill = 40, .drain = 20, .last = 90});
  EXPECT_EQ(played(), 160u);
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  EXPECT_EQ(played(), 40 + 100 + 100 + 20u) << "the tile of the other engine is not before it";
}

TEST_F(PlaybackTest, TileWaitsForResultsOfOtherEngine) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  dspTile({.cycles = 150, .fill = 40, .drain = 20, .last = 90}, 0);
  EXPECT_EQ(played(), 160 + 4 + 150u) << "after the first, beside the second";
  sequence_.steps.back().after = 1;
  EXPECT_EQ(played(), 40 + 100 + 100 + 20 + 4 + 150u);
}

TEST_F(PlaybackTest, TilesOfBothEnginesHaveTheirEnds) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  dspTile({.cycles = 150, .fill = 40, .drain = 20, .last = 90}, 0);
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  EXPECT_EQ(times().tileEnds, (std::vector<uint64_t>{160, 160 + 4 + 150, 40 + 100 + 100 + 20}));
}

TEST_F(PlaybackTest, TransferWaitsForTilesOfBothEngines) {
  tile({.cycles = 1160, .fill = 40, .drain = 20, .last = 100});
  dspTile({.cycles = 150, .fill = 40, .drain = 20, .last = 90});
  transfers_.push_back({.cycles = 1000, .ready = 2, .need = 2, .isStore = true});
  EXPECT_EQ(played(), 1160 + 4 + 1000 + 250 + 4u);
}

TEST_F(PlaybackTest, TileWaitsForItsData) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  transfers_.push_back({.cycles = 1000, .ready = 0, .need = 0});
  EXPECT_EQ(played(), 1000 + 500 + 4 + 160u);
}

TEST_F(PlaybackTest, TransferWaitsForTheTileBeforeIt) {
  tile({.cycles = 160, .fill = 40, .drain = 20, .last = 100});
  transfers_.push_back({.cycles = 1000, .ready = 1, .need = 1, .isStore = true});
  EXPECT_EQ(played(), 160 + 4 + 1000 + 250 + 4u);
}

TEST_F(PlaybackTest, TransferWaitsForTheStoreThatItReads) {
  transfers_.push_back({.cycles = 100, .isStore = true, .channel = 1});
  transfers_.push_back({.cycles = 100, .after = 0});
  EXPECT_EQ(played(), 100 + 250 + 4 + 100 + 500 + 4u);
}

TEST_F(PlaybackTest, ChannelsShareThePort) {
  transfers_.push_back({.cycles = 1000});
  transfers_.push_back({.cycles = 1000, .channel = 1});
  EXPECT_EQ(played(), 2000 + 500 + 4u);
}

TEST_F(PlaybackTest, ChannelsWithFewBytesInFlightLeaveRoom) {
  target_ = targetWith("m512", "dram.bandwidth", "15"); // a channel loads 2048 bytes in 500 cycles, stores them in 250
  transfers_.push_back({.cycles = 1000});
  transfers_.push_back({.cycles = 1000, .isStore = true, .channel = 1});
  EXPECT_EQ(played(), 1000 + 500 + 4u) << "4.1 and 8.2 bytes of 15 in each cycle";
}

TEST_F(PlaybackTest, ChannelsTakeWhatOthersCannotUse) {
  target_ = targetWith("m512", "dram.bandwidth", "10");
  transfers_.push_back({.cycles = 1000});
  transfers_.push_back({.cycles = 1000, .isStore = true, .channel = 1});
  const double storeRate = 10 - 4.096, alone = 8.192; // of the store while the load moves, and later
  const double stored = 1000 * storeRate / alone;
  EXPECT_NEAR(double(played()), 1000 + (1000 - stored) + 250 + 4, 1);
}

TEST_F(PlaybackTest, TransfersSlowTilesThatNeedTheWholePort) {
  tile({.cycles = 1000, .last = 1000, .portBytes = 16'000}); // 16 bytes per cycle
  EXPECT_EQ(played(), 1000u);
  transfers_.push_back({.cycles = 100'000, .need = 1});
  sequence_.steps.back().time.portBytes = 160'000'000;
  sequence_.steps.back().time.cycles = 10'000'000;
  const double slowdown = 16.0 / (16.0 - 3.75);
  const double while100000 = 100'000 / slowdown; // cycles of the tile that pass while the transfer moves
  EXPECT_NEAR(double(played()), 100'000 + (10'000'000 - while100000), 2);
}

TEST_F(PlaybackTest, TransfersSlowTilesThatWaitForThePort) {
  tile({.cycles = 1000, .last = 1000, .portBytes = 1000, .sharedBusy = 1250});
  EXPECT_EQ(played(), 1000u);
  transfers_.push_back({.cycles = 500, .need = 1}); // in which the tile does 400 of its cycles
  EXPECT_EQ(played(), 500 + 600u);
}

} // namespace
} // namespace avocet::compiler::schedule
