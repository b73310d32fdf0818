//===- TraceCountersTest.cpp - Counters over time -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/TraceCounters.h"

#include "SmallModel.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace avocet::analysis::test {
namespace {

constexpr firmware::Engine kDma{firmware::EngineKind::Dma, 0}, kMac{firmware::EngineKind::Mac, 0};

/// The most bytes of SRAM in use in a run of the small model with these spans.
double mostBytes(std::vector<firmware::CommandSpan> spans) {
  const auto model = cache::ModelCache::adopt(cache::writeModelCache(cache::smallModel()).value(), "small").value();
  const auto target = firmware::Target::load("e256").value();
  firmware::JobProfile profile;
  profile.record.counters.cycles = 200;
  profile.spans = std::move(spans);
  const std::vector<CounterSample> samples = sramCounter(TracedJob(profile, *model, *target)).samples;
  return std::ranges::max_element(samples, {}, &CounterSample::value)->value;
}

/// The convolution reads what the first transfers load, and still runs when they load again, as for another tile. All
/// its operands are in one granule of 512 bytes.
TEST(SramCounterTest, BytesInUseAreNotCountedTwice) {
  const std::vector<firmware::CommandSpan> once = {
      {kDma, 0, 0, 4, 0, 10}, {kDma, 1, 0, 4, 10, 20}, {kMac, 1, 0, 5, 20, 100}, {kMac, 1, 0, 5, 100, 150}};
  std::vector<firmware::CommandSpan> again = once;
  again.push_back({kDma, 0, 0, 4, 40, 60});
  again.push_back({kDma, 1, 0, 4, 60, 80});
  EXPECT_EQ(mostBytes(once), 512);
  EXPECT_EQ(mostBytes(again), 512);
}

} // namespace
} // namespace avocet::analysis::test
