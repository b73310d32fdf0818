//===- CommandTrafficTest.cpp - Bytes that each command moved --*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/CommandTraffic.h"

#include "SmallModel.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <gmock/gmock.h>

namespace avocet::analysis::test {
namespace {

using firmware::EngineKind;
using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr firmware::Engine kDma{EngineKind::Dma, 0}, kMac{EngineKind::Mac, 0};

/// The small model: its DMA channel loads 16 and 56 bytes and stores 2; the convolution touches 16 + 2 + 32 + 24.
class CommandTrafficTest : public testing::Test {
protected:
  CommandTrafficTest()
      : model_(cache::ModelCache::adopt(cache::writeModelCache(cache::smallModel()).value(), "small").value()),
        streams_(*model_) {
    profile_.spans = {
        {kDma, 0, 0, 4, 0, 10}, {kDma, 1, 0, 4, 10, 20}, {kMac, 1, 0, 5, 20, 30}, {kDma, 4, 0, 4, 30, 40}};
    profile_.layers.resize(1);
    profile_.layers[0].layer = 0;
  }

  /// By span.
  std::vector<double> bytes(Way way) const {
    std::vector<double> list;
    for (const WayBytes &moved : commandTraffic(streams_, profile_))
      list.push_back(moved[way]);
    return list;
  }

  std::shared_ptr<const cache::ModelCache> model_;
  CommandStreams streams_;
  firmware::JobProfile profile_;
};

TEST_F(CommandTrafficTest, TransfersKeepTheirBytesComputationGetsTheRest) {
  profile_.layers[0].sramReadBytes = 500;
  profile_.layers[0].sramWriteBytes = 174;
  EXPECT_THAT(bytes(SramPort), ElementsAre(16, 56, 600, 2));
}

TEST_F(CommandTrafficTest, FewerCountedBytesAreDividedEvenly) {
  profile_.layers[0].sramReadBytes = 74; // of the 148 that the commands touch
  EXPECT_THAT(bytes(SramPort), ElementsAre(8, 28, 37, 1));
}

TEST_F(CommandTrafficTest, OffChipBytesAreThoseCounted) {
  profile_.layers[0].dramReadBytes = 144; // whole bursts
  profile_.layers[0].dramWriteBytes = 64;
  EXPECT_THAT(bytes(DramRead), ElementsAre(DoubleEq(32), DoubleEq(112), 0, 0));
  EXPECT_THAT(bytes(DramWrite), ElementsAre(0, 0, 0, 64));
}

TEST_F(CommandTrafficTest, UnknownCommandMovesNothing) {
  profile_.spans[2].command = 100;
  profile_.layers[0].sramReadBytes = 2 * 74;
  EXPECT_THAT(bytes(SramPort), ElementsAre(32, 112, 0, 4));
}

} // namespace
} // namespace avocet::analysis::test
