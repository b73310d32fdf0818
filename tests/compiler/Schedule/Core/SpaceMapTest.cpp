//===- SpaceMapTest.cpp - Free addresses over time ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/SpaceMap.h"

#include "Memory/FirstFit.h"

#include <gtest/gtest.h>

#include <random>

namespace avocet::compiler::schedule {
namespace {

constexpr uint64_t kCapacity = 512, kAlignment = 16;
constexpr uint32_t kEnd = 400; ///< of the times, several buckets of a SpaceMap

struct Placed {
  Block block;
  uint64_t address;
};

class Draw {
public:
  explicit Draw(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t end) { return std::uniform_int_distribution<uint32_t>(0, end - 1)(engine_); }
  Block block() {
    const uint32_t first = below(kEnd);
    return {16 + below(100), first, std::min(kEnd, first + below(below(4) == 0 ? kEnd : 20)), {}};
  }

private:
  std::mt19937 engine_;
};

bool isFree(const std::vector<Placed> &placed, uint64_t begin, uint64_t end, uint32_t first, uint32_t last) {
  return std::ranges::none_of(placed, [&](const Placed &other) {
    return other.block.first <= last && first <= other.block.last && other.address < end &&
           begin < other.address + other.block.bytes;
  });
}

std::optional<uint64_t> lowestOf(const std::vector<Placed> &placed, const Block &block) {
  for (uint64_t address = 0; address + block.bytes <= kCapacity; address += kAlignment)
    if (isFree(placed, address, address + block.bytes, block.first, block.last))
      return address;
  return std::nullopt;
}

/// The earliest time at which some place is free until the block's last one.
uint32_t earliestOf(const std::vector<Placed> &placed, const Block &block) {
  Block longer = block;
  while (longer.first > 0) {
    --longer.first;
    if (!lowestOf(placed, longer))
      return longer.first + 1;
  }
  return 0;
}

TEST(FirstFitTest, FindsTheLowestFreeAddress) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Draw draw(seed);
    AllocationProblem problem{{}, kCapacity, kAlignment};
    for (uint32_t i = 0; i < 150; ++i)
      problem.blocks.push_back(draw.block());
    FirstFit fit(problem);
    std::vector<Placed> placed;
    for (const Block &block : problem.blocks) {
      const std::optional<uint64_t> address = fit.lowest(block);
      ASSERT_EQ(address, lowestOf(placed, block)) << "seed " << seed << ", block " << placed.size();
      if (!address)
        continue;
      fit.add(block, *address);
      placed.push_back({block, *address});
    }
    EXPECT_GT(placed.size(), 50u) << seed;
    EXPECT_LT(placed.size(), 150u) << seed;
  }
}

TEST(SpaceMapTest, FindsTheEarliestFreePlace) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Draw draw(seed);
    SpaceMap map(kCapacity, kAlignment);
    std::vector<Placed> placed;
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < 100; ++i) {
      Block block = draw.block();
      const auto place = map.earliest(block.bytes, 0, block.first, block.last);
      ASSERT_EQ(place.has_value(), lowestOf(placed, block).has_value()) << "seed " << seed << ", block " << i;
      if (!place)
        continue;
      EXPECT_EQ(place->first, earliestOf(placed, block)) << "seed " << seed << ", block " << i;
      EXPECT_TRUE(isFree(placed, place->address, place->address + block.bytes, place->first, block.last));
      EXPECT_EQ(map.freeFrom(place->address, place->address + block.bytes, place->first), place->first)
          << "seed " << seed << ", block " << i;
      block.first -= std::min(block.first - place->first, draw.below(30));
      numbers.push_back(map.add(place->address, block.bytes, block.first, block.last));
      placed.push_back({block, place->address});
      if (i % 5 == 4) {
        const uint32_t gone = draw.below(uint32_t(placed.size()));
        map.remove(numbers[gone]);
        numbers.erase(numbers.begin() + gone);
        placed.erase(placed.begin() + gone);
      }
    }
    EXPECT_GT(placed.size(), 20u) << seed;
  }
}

} // namespace
} // namespace avocet::compiler::schedule
