//===- DramTrafficTest.cpp - Off-chip bytes of a run by their meaning -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/Report.h"

#include "SmallModel.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <gtest/gtest.h>

namespace avocet::tool::test {
namespace {

std::shared_ptr<const cache::ModelCache> smallCache() {
  return std::move(cache::ModelCache::adopt(std::move(cache::writeModelCache(cache::smallModel())).value(), "small"))
      .value();
}

TEST(DramTrafficTest, PartsFollowRegionsAndAddUp) {
  firmware::JobProfile profile; // regions: input, output, constants of 56 bytes, scratch
  profile.regions = {{1, 16, 0}, {2, 0, 2}, {3, 3 * 56, 0}, {4, 20, 30}};
  const analysis::DramTraffic parts = analysis::dramTraffic(*smallCache(), profile);
  EXPECT_EQ(parts.inputs, 16u);
  EXPECT_EQ(parts.outputs, 2u);
  EXPECT_EQ(parts.weights, 56u);
  EXPECT_EQ(parts.refetchedWeights, 2u * 56);
  EXPECT_EQ(parts.spills, 50u);
  EXPECT_EQ(parts.total(), 16u + 2 + 3 * 56 + 50);
}

TEST(DramTrafficTest, ConstantsOfSkippedSectionsAreNotCounted) {
  firmware::JobProfile profile;
  profile.regions = {{3, 40, 0}};
  const analysis::DramTraffic parts = analysis::dramTraffic(*smallCache(), profile);
  EXPECT_EQ(parts.weights, 40u);
  EXPECT_EQ(parts.refetchedWeights, 0u);
}

TEST(DramTrafficTest, UnknownRegionsAreIgnored) {
  firmware::JobProfile profile;
  profile.regions = {{firmware::kSramRegion, 5, 5}, {9, 5, 5}};
  EXPECT_EQ(analysis::dramTraffic(*smallCache(), profile).total(), 0u);
}

TEST(DramTrafficTest, OverlappingRangesCountOnce) {
  std::vector<firmware::ByteRange> ranges = {{1, 40, 50}, {1, 0, 10}, {1, 5, 20}, {1, 6, 8}};
  EXPECT_EQ(analysis::unionBytes(ranges), 30u);
}

} // namespace
} // namespace avocet::tool::test
