//===- RandomTest.cpp - Random numbers ------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Random.h"
#include "random/Philox.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

/// Answers that the authors of the generator publish.
TEST(PhiloxTest, GivesPublishedWords) {
  const Philox zero(0, 0);
  EXPECT_EQ(zero.word(0), 0x6627e8d5u);
  EXPECT_EQ(zero.word(1), 0xe169c58du);
  EXPECT_EQ(zero.word(2), 0xbc57ac4cu);
  EXPECT_EQ(zero.word(3), 0x9b00dbd8u);
}

struct Multinomial {
  Multinomial(const std::vector<double> &logits, uint32_t rows, uint32_t samples, std::array<int32_t, 2> seeds)
      : random(1) {
    command.kernel = kRandomMultinomialKernel.number;
    const auto classes = static_cast<uint32_t>(logits.size()) / rows;
    command.inputs = {sram.map(DataType::Float32, 1, rows, classes, Placement::Scattered, random),
                      sram.map(DataType::Int32, 1, 1, 2, Placement::Scattered, random)};
    command.outputs = {sram.map(DataType::Int32, 1, rows, samples, Placement::Scattered, random)};
    command.parameters = packParameters(RandomMultinomialParameters());
    sram.setValues(command.inputs[0], logits);
    sram.setValues(command.inputs[1], {double(seeds[0]), double(seeds[1])});
  }

  std::vector<double> run() {
    checkAndRun(*testTarget(), command, sram);
    return sram.values(command.outputs[0]);
  }

  Random random;
  TestSram sram;
  DspCommand command;
};

TEST(RandomMultinomialTest, FrequenciesFollowLogits) {
  constexpr uint32_t kSamples = 4000;
  const std::vector<double> logits = {0, 1, -1, 2, -INFINITY, 0.5};
  const std::vector<double> drawn = Multinomial(logits, 1, kSamples, {17, -4}).run();
  double whole = 0;
  for (double logit : logits)
    whole += std::exp(logit);
  for (size_t c = 0; c < logits.size(); ++c) {
    const auto count = static_cast<double>(std::ranges::count(drawn, double(c)));
    EXPECT_NEAR(count / kSamples, std::exp(logits[c]) / whole, 0.03) << c;
  }
}

TEST(RandomMultinomialTest, SeedsDecideTheResult) {
  const std::vector<double> logits(20, 1.0);
  const auto first = Multinomial(logits, 2, 50, {1, 2}).run();
  EXPECT_EQ(first, Multinomial(logits, 2, 50, {1, 2}).run());
  EXPECT_NE(first, Multinomial(logits, 2, 50, {1, 3}).run());
  EXPECT_NE(first, Multinomial(logits, 2, 50, {0, 2}).run());
  const size_t half = first.size() / 2;
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + half, first.begin() + half)) << "rows are independent";
}

TEST(RandomMultinomialTest, ResultsAreClassesWithoutFiniteLogits) {
  for (double logit : {-double(INFINITY), double(INFINITY), double(NAN)})
    for (double drawn : Multinomial(std::vector<double>(3, logit), 1, 20, {1, 1}).run())
      EXPECT_TRUE(drawn >= 0 && drawn < 3);
}

} // namespace
} // namespace avocet::kernels
