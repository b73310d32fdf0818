//===- LayerTimeTest.cpp - To which layer each cycle belongs --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/LayerTime.h"

#include <gtest/gtest.h>

namespace avocet::runtime::test {
namespace {

using firmware::EngineKind;

constexpr firmware::Engine kMac{EngineKind::Mac, 0}, kDsp{EngineKind::Dsp, 0}, kDma{EngineKind::Dma, 0},
    kDma1{EngineKind::Dma, 1};
constexpr uint32_t kWait = 1, kWork = 5;

/// Spans of a job; those of an engine in the order of its stream.
class LayerTimeTest : public testing::Test {
protected:
  LayerTimeTest() { profile_.record.counters.cycles = 1000; }

  void add(const firmware::Engine &engine, uint32_t layer, uint64_t start, uint64_t end, uint64_t drain = 0) {
    profile_.spans.push_back({engine, next_++, layer, kWork, start, end, run_, drain});
  }
  void addWait(const firmware::Engine &engine, uint32_t layer, uint64_t start, uint64_t end) {
    profile_.spans.push_back({engine, next_++, layer, kWait, start, end, run_});
  }

  TimeDivision divide(size_t numLayers) const { return divideTime(profile_, numLayers); }

  firmware::JobProfile profile_;
  uint32_t next_ = 0;
  uint32_t run_ = 0;
};

TEST_F(LayerTimeTest, ArrayComesBeforeDspAndWaits) {
  addWait(kMac, 0, 0, 100);
  add(kMac, 0, 100, 300);
  addWait(kMac, 1, 300, 500);
  add(kMac, 1, 500, 900);
  addWait(kDsp, 2, 0, 250);
  add(kDsp, 2, 250, 350);
  add(kDma, 1, 0, 400);
  const TimeDivision division = divide(3);
  EXPECT_EQ(division.layers[0], (LayerTime{200, 0, 100, {}}));
  // Waits from 350 to 500; the last 100 cycles have no transfer and stay with the last layer.
  EXPECT_EQ(division.layers[1], (LayerTime{400, 0, 250, {0, 0, 350}}));
  EXPECT_EQ(division.layers[2], (LayerTime{0, 50, 0, {50, 0, 0}}));
  EXPECT_EQ(division.layers[3], (LayerTime{}));
  EXPECT_EQ(division.overlap, (Overlap{250, 400, 150, 200}));
}

TEST_F(LayerTimeTest, NextCommandOwnsTheArrayWhileResultsLeave) {
  add(kMac, 0, 0, 300, 100);
  add(kMac, 1, 150, 1000, 50);
  const TimeDivision division = divide(2);
  EXPECT_EQ(division.layers[0], (LayerTime{200, 0, 0, {0, 100, 0}}));
  EXPECT_EQ(division.layers[1], (LayerTime{800, 0, 0, {}})) << "nothing follows: its last results are its own time";
}

TEST_F(LayerTimeTest, ResultsThatLeaveDuringWaitAreOwn) {
  add(kMac, 0, 0, 300, 100);
  addWait(kMac, 1, 150, 600);
  add(kMac, 1, 600, 1000);
  const TimeDivision division = divide(2);
  EXPECT_EQ(division.layers[0], (LayerTime{300, 0, 0, {}}));
  EXPECT_EQ(division.layers[1], (LayerTime{400, 0, 300, {}}));
}

TEST_F(LayerTimeTest, TailBelongsToTransfersThatCompleteNext) {
  add(kMac, 0, 0, 500);
  add(kDma, 0, 500, 700);
  add(kDma1, 1, 400, 900);
  const TimeDivision division = divide(2);
  EXPECT_EQ(division.layers[0], (LayerTime{500, 0, 200, {}}));
  EXPECT_EQ(division.layers[1], (LayerTime{0, 0, 300, {0, 0, 300}}));
}

TEST_F(LayerTimeTest, TailWithoutLayerBelongsToLastCommand) {
  add(kMac, 0, 0, 500);
  add(kMac, 1, 500, 800);
  add(kDma, firmware::kNoLayer, 800, 1000);
  EXPECT_EQ(divide(2).layers[1], (LayerTime{300, 0, 200, {}}));
}

TEST_F(LayerTimeTest, TransfersAloneHaveTheirOwnCycles) {
  add(kDma, 0, 0, 600);
  add(kDma, 1, 500, 1000);
  const TimeDivision division = divide(2);
  EXPECT_EQ(division.layers[0].wait, 600u);
  EXPECT_EQ(division.layers[1].wait, 400u);
}

TEST_F(LayerTimeTest, ControlProgramBelongsToNoLayer) {
  profile_.sections = {{0, 64, 400}, {1, 528, 936}};
  add(kMac, 0, 64, 400);
  run_ = 1;
  add(kMac, 1, 528, 936);
  const TimeDivision division = divide(2);
  EXPECT_EQ(division.layers[0].cycles(), 336u);
  EXPECT_EQ(division.layers[1].cycles(), 408u);
  EXPECT_EQ(division.layers[2], (LayerTime{0, 0, 1000 - 336 - 408, {}}));
}

TEST_F(LayerTimeTest, WithoutSpansNothingHasALayer) {
  const TimeDivision division = divide(1);
  EXPECT_EQ(division.layers[0], LayerTime{});
  EXPECT_EQ(division.layers[1].cycles(), 1000u);
}

TEST_F(LayerTimeTest, UnknownLayersCountAsNone) {
  add(kMac, firmware::kNoLayer, 0, 600);
  add(kMac, 7, 600, 1000);
  EXPECT_EQ(divide(2).layers[2].array, 1000u);
}

} // namespace
} // namespace avocet::runtime::test
