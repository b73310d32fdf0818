//===- SearchTest.cpp - Searches of avocet bisect -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bisect/Search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace avocet::tool::test {
namespace {

using testing::ElementsAre;
using Part = std::vector<size_t>;

TEST(FindChangeTest, FindsEachPositionInFewTrials) {
  constexpr size_t kCount = 100;
  for (size_t first = 1; first <= kCount; ++first) {
    size_t trials = 0;
    const auto change = findChange({0, kCount}, [&](size_t position) -> Result<Verdict> {
      ++trials;
      return position < first ? Verdict::Good : Verdict::Bad;
    });
    ASSERT_TRUE(change.isOk());
    EXPECT_EQ(change->good, first - 1);
    EXPECT_EQ(change->bad, first);
    EXPECT_LE(trials, 7u); // log2(100), rounded up
  }
}

TEST(FindChangeTest, StepsAroundUnknownPositions) {
  std::set<size_t> judged;
  const auto change = findChange({0, 20}, [&](size_t position) -> Result<Verdict> {
    EXPECT_TRUE(judged.insert(position).second) << position << " again";
    if (position % 3 == 1)
      return Verdict::Unknown;
    return position < 15 ? Verdict::Good : Verdict::Bad;
  });
  ASSERT_TRUE(change.isOk());
  EXPECT_EQ(change->good, 14u);
  EXPECT_EQ(change->bad, 15u);
}

TEST(FindChangeTest, UnknownPositionsBetweenStayARange) {
  const auto change = findChange({2, 30}, [&](size_t position) -> Result<Verdict> {
    if (position >= 11 && position < 17)
      return Verdict::Unknown;
    return position < 11 ? Verdict::Good : Verdict::Bad;
  });
  ASSERT_TRUE(change.isOk());
  EXPECT_EQ(change->good, 10u);
  EXPECT_EQ(change->bad, 17u);
}

TEST(FindChangeTest, NeighborsNeedNoTrial) {
  const auto change = findChange({4, 5}, [](size_t) -> Result<Verdict> { return internalError("judged"); });
  ASSERT_TRUE(change.isOk()) << change.status().toString();
  EXPECT_EQ(change->bad, 5u);
}

TEST(FindChangeTest, ErrorEndsSearch) {
  const auto change = findChange({0, 9}, [](size_t) -> Result<Verdict> { return internalError("broken"); });
  EXPECT_EQ(change.status().code(), StatusCode::Internal);
}

/// Judges by a set that a part must contain to be Bad, and checks that no part is judged twice.
struct NeedsAll {
  Part needed;
  std::set<Part> judged = {};

  Result<Verdict> operator()(const Part &part) {
    EXPECT_TRUE(judged.insert(part).second);
    EXPECT_TRUE(std::ranges::is_sorted(part));
    return std::ranges::includes(part, needed) ? Verdict::Bad : Verdict::Good;
  }
};

TEST(FindMinimalPartTest, FindsEachPair) {
  for (size_t a = 0; a < 9; ++a)
    for (size_t b = a + 1; b < 9; ++b) {
      NeedsAll judge{{a, b}};
      EXPECT_THAT(findMinimalPart(9, std::ref(judge)).value(), ElementsAre(a, b));
    }
}

TEST(FindMinimalPartTest, SingleCauseTakesFewTrials) {
  for (size_t cause = 0; cause < 64; ++cause) {
    NeedsAll judge{{cause}};
    EXPECT_THAT(findMinimalPart(64, std::ref(judge)).value(), ElementsAre(cause));
    EXPECT_LE(judge.judged.size(), 12u); // two halves on each of 6 levels
  }
}

TEST(FindMinimalPartTest, WholeMayBeNeeded) {
  NeedsAll judge{{0, 1, 2, 3, 4}};
  EXPECT_THAT(findMinimalPart(5, std::ref(judge)).value(), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(findMinimalPart(1, std::ref(judge)).value(), ElementsAre(0));
}

/// Answers without any order: the result is Bad, and Good or Unknown without any one element.
TEST(FindMinimalPartTest, ResultIsMinimalForRandomAnswers) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const auto answer = [seed](const Part &part) {
      std::seed_seq sequence(part.begin(), part.end());
      uint32_t value[1];
      sequence.generate(value, value + 1);
      const uint32_t choice = (value[0] ^ seed * 2654435761u) % 5;
      return part.size() == 12 || choice == 0 ? Verdict::Bad : choice == 1 ? Verdict::Unknown : Verdict::Good;
    };
    const Part part = findMinimalPart(12, [&](const Part &p) -> Result<Verdict> { return answer(p); }).value();
    EXPECT_EQ(answer(part), Verdict::Bad);
    for (size_t i = 0; part.size() > 1 && i < part.size(); ++i) {
      Part less = part;
      less.erase(less.begin() + static_cast<ptrdiff_t>(i));
      EXPECT_NE(answer(less), Verdict::Bad) << "seed " << seed;
    }
  }
}

TEST(FindMinimalPartTest, ErrorEndsSearch) {
  const auto part = findMinimalPart(3, [](const Part &) -> Result<Verdict> { return internalError("broken"); });
  EXPECT_EQ(part.status().code(), StatusCode::Internal);
}

} // namespace
} // namespace avocet::tool::test
