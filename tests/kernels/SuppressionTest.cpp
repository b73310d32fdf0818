//===- SuppressionTest.cpp - Boxes selected by score ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Suppression.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;
using testing::ElementsAre;

using Values = std::vector<double>;

/// Boxes 0 and 1 overlap by one third, box 2 is apart, box 3 has no area.
const Values kBoxes = {0, 0, 2, 2, 0, 1, 2, 3, 10, 0, 12, 2, 5, 5, 5, 5};

class SuppressionTest : public testing::Test {
protected:
  FeatureMap dense(DataType type, const Values &values) {
    const FeatureMap map = sram_.map(type, 1, 1, static_cast<uint32_t>(values.size()), Placement::Dense, random_);
    sram_.setValues(map, values);
    return map;
  }
  FeatureMap reals(const Values &values) { return dense(DataType::Float32, values); }
  FeatureMap integers(const Values &values) { return dense(DataType::Int32, values); }

  /// Runs the kernel; outputs are filled with 9 before.
  template <typename Parameters>
  std::vector<Values> run(KernelId kernel, const Parameters &parameters, std::vector<FeatureMap> inputs,
                          const std::vector<std::pair<DataType, size_t>> &outputs) {
    DspCommand command;
    command.kernel = kernel.number;
    command.parameters = packParameters(parameters);
    command.inputs = std::move(inputs);
    for (const auto &[type, count] : outputs)
      command.outputs.push_back(dense(type, Values(count, 9)));
    checkAndRun(*testTarget(), command, sram_);
    std::vector<Values> results;
    for (const FeatureMap &output : command.outputs)
      results.push_back(sram_.values(output));
    return results;
  }

  static constexpr auto kReal = DataType::Float32, kInteger = DataType::Int32;
  Random random_{3};
  TestSram sram_;
};

//===----------------------------------------------------------------------===//
// nonMaxSuppression
//===----------------------------------------------------------------------===//

class NonMaxSuppressionTest : public SuppressionTest {
protected:
  std::vector<Values> select(const Values &scores) {
    p_.boxes = static_cast<uint32_t>(scores.size());
    return run(kNonMaxSuppressionKernel, p_, {reals({kBoxes.begin(), kBoxes.begin() + 4 * p_.boxes}), reals(scores)},
               {{kInteger, p_.results}, {kReal, p_.results}, {kInteger, 1}});
  }
  NonMaxSuppressionParameters p_{.results = 3, .overlapThreshold = 0.3f};
};

TEST_F(NonMaxSuppressionTest, SelectsBoxesApart) {
  const auto results = select({0.5, 0.75, 0.25});
  EXPECT_THAT(results[0], ElementsAre(1, 2, 0));
  EXPECT_THAT(results[1], ElementsAre(0.75, 0.25, 0));
  EXPECT_THAT(results[2], ElementsAre(2));
}

TEST_F(NonMaxSuppressionTest, ScoresMustBeAboveThreshold) {
  p_.scoreThreshold = 0.25f;
  EXPECT_THAT(select({0.5, 0.75, 0.25})[2], ElementsAre(1));
}

TEST_F(NonMaxSuppressionTest, NumberIsLimited) {
  p_.results = 1;
  EXPECT_THAT(select({0.5, 0.75, 0.25})[0], ElementsAre(1));
}

TEST_F(NonMaxSuppressionTest, SigmaReducesScoresOfOverlappingBoxes) {
  p_.overlapThreshold = 1;
  p_.sigma = 0.5f;
  const auto results = select({0.5, 0.75, 0.25});
  EXPECT_THAT(results[0], ElementsAre(1, 0, 2));
  EXPECT_NEAR(results[1][1], 0.5 * std::exp(-1.0 / 9), 1e-6);
}

/// As in TFLite's reference, which does not remove a selected box until another one excludes it.
TEST_F(NonMaxSuppressionTest, BoxWithoutAreaIsSelectedAgain) {
  EXPECT_THAT(select({0.25, 0.125, 0.1, 0.5})[0], ElementsAre(3, 3, 3));
}

//===----------------------------------------------------------------------===//
// boxNmsLimit
//===----------------------------------------------------------------------===//

class BoxNmsLimitTest : public SuppressionTest {
protected:
  BoxNmsLimitTest() {
    p_.boxes = 3;
    p_.results = 4;
    p_.most = UINT32_MAX;
    p_.overlapThreshold = 0.3f;
    p_.nmsScoreThreshold = 0.1f;
  }

  /// Scores of class 1; class 0 is the background.
  std::vector<Values> limit(const Values &scores, const Values &batches) {
    Values both, boxes;
    for (size_t i = 0; i < scores.size(); ++i) {
      both.insert(both.end(), {0.9, scores[i]});
      boxes.insert(boxes.end(), 4, 0);
      boxes.insert(boxes.end(), kBoxes.begin() + 4 * i, kBoxes.begin() + 4 * i + 4);
    }
    return run(kBoxNmsLimitKernel, p_, {reals(both), reals(boxes), integers(batches)},
               {{kReal, 4}, {kReal, 16}, {kInteger, 4}, {kInteger, 4}});
  }

  BoxNmsLimitParameters p_;
};

TEST_F(BoxNmsLimitTest, KeepsBestBoxesOfBatch) {
  const auto results = limit({0.5, 0.75, 0.25}, {7, 7, 7});
  EXPECT_THAT(results[0], ElementsAre(0.75, 0.25, 0, 0));
  EXPECT_THAT(results[1], ElementsAre(0, 1, 2, 3, 10, 0, 12, 2, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(results[2], ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(results[3], ElementsAre(7, 7, 0, 0));
}

TEST_F(BoxNmsLimitTest, BatchesDoNotExcludeEachOther) {
  EXPECT_THAT(limit({0.5, 0.75, 0.25}, {0, 1, 1})[0], ElementsAre(0.5, 0.75, 0.25, 0));
}

TEST_F(BoxNmsLimitTest, SoftKernelsReduceScores) {
  p_.kernel = NmsKernel::Linear;
  EXPECT_NEAR(limit({0.5, 0.75, 0.25}, {0, 0, 0})[0][1], 0.5 * (1 - 1.0 / 3), 1e-6);
  p_.kernel = NmsKernel::Gaussian;
  p_.sigma = 0.5f;
  EXPECT_NEAR(limit({0.5, 0.75, 0.25}, {0, 0, 0})[0][1], 0.5 * std::exp(-2.0 / 9), 1e-6);
}

TEST_F(BoxNmsLimitTest, NumberOfBatchIsLimited) {
  p_.most = 1;
  EXPECT_THAT(limit({0.5, 0.75, 0.25}, {0, 0, 0})[0], ElementsAre(0.75, 0, 0, 0));
}

//===----------------------------------------------------------------------===//
// generateProposals
//===----------------------------------------------------------------------===//

class GenerateProposalsTest : public SuppressionTest {
protected:
  GenerateProposalsTest() {
    p_.width = 3;
    p_.results = 3;
    p_.strideX = 4;
    p_.overlapThreshold = 0.3f;
  }

  /// One anchor of 6 by 6 at each of three pixels, 4 apart: neighbors overlap by one fifth.
  std::vector<Values> propose(const Values &scores) {
    return run(kGenerateProposalsKernel, p_, {reals(scores), reals(Values(12)), reals({0, 0, 6, 6}), reals({100, 100})},
               {{kReal, 3}, {kReal, 12}, {kInteger, 3}});
  }

  GenerateProposalsParameters p_;
};

TEST_F(GenerateProposalsTest, PutsAnchorsAtPixels) {
  const auto results = propose({0.25, 0.75, 0.5});
  EXPECT_THAT(results[0], ElementsAre(0.75, 0.5, 0.25));
  EXPECT_THAT(results[1], ElementsAre(4, 0, 10, 6, 8, 0, 14, 6, 0, 0, 6, 6));
}

TEST_F(GenerateProposalsTest, DropsOverlappingBoxes) {
  p_.overlapThreshold = 0.1f;
  EXPECT_THAT(propose({0.25, 0.75, 0.5})[0], ElementsAre(0.75, 0, 0));
}

TEST_F(GenerateProposalsTest, LimitsBoxesBeforeAndAfter) {
  p_.mostBefore = 2;
  EXPECT_THAT(propose({0.25, 0.75, 0.5})[0], ElementsAre(0.75, 0.5, 0));
  p_.mostAfter = 1;
  EXPECT_THAT(propose({0.25, 0.75, 0.5})[0], ElementsAre(0.75, 0, 0));
}

TEST_F(GenerateProposalsTest, DropsSmallBoxes) {
  p_.leastSize = 6;
  EXPECT_THAT(propose({0.25, 0.75, 0.5})[0], ElementsAre(0, 0, 0));
}

} // namespace
} // namespace avocet::kernels
