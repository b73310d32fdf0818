//===- FourierTest.cpp - Spectra of lines ---------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Fourier.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <numbers>

namespace avocet::kernels {
namespace {

using namespace firmware;

struct Fourier {
  Fourier(uint32_t rows, uint32_t columns, uint32_t extent, uint32_t points, TestSram &sram, Random &random,
          Placement placement = Placement::Scattered) {
    auto map = [&](uint32_t channels) {
      return sram.map(DataType::Float32, rows, columns, channels, placement, random);
    };
    command = dspCommand("realFourier", packParameters(RealFourierParameters{points}));
    command.inputs = {map(extent), sram.map(DataType::Float32, 1, 1, points, Placement::Dense, random)};
    command.outputs = {map(points / 2 + 1), map(points / 2 + 1)};
    std::vector<float> factors(points);
    fourierFactors(factors);
    sram.setValues(command.inputs[1], {factors.begin(), factors.end()});
  }

  Status check() const { return findKernel(command)->check(*testTarget(), command); }

  DspCommand command;
};

/// The definition, in f64.
std::pair<double, double> spectrumAt(std::span<const double> line, uint32_t points, uint32_t k) {
  double real = 0, imaginary = 0;
  for (uint32_t n = 0; n < std::min<uint32_t>(points, line.size()); ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(uint64_t(k) * n % points) / points;
    real += line[n] * std::cos(angle);
    imaginary -= line[n] * std::sin(angle);
  }
  return {real, imaginary};
}

/// The greatest error over the greatest magnitude of a line.
double errorOf(uint32_t rows, uint32_t columns, uint32_t extent, uint32_t points) {
  Random random(points * 31 + extent);
  TestSram sram;
  Fourier c(rows, columns, extent, points, sram, random);
  std::vector<double> input(size_t(rows) * columns * extent);
  for (double &x : input)
    x = pickReal(random, -1, 1);
  sram.setValues(c.command.inputs[0], input);
  checkAndRun(*testTarget(), c.command, sram);
  const std::vector<double> real = sram.values(c.command.outputs[0]), imaginary = sram.values(c.command.outputs[1]);
  const uint32_t half = points / 2 + 1;
  double worst = 0;
  for (size_t line = 0; line < size_t(rows) * columns; ++line) {
    double error = 0, largest = 1e-30;
    for (uint32_t k = 0; k < half; ++k) {
      const auto [a, b] = spectrumAt({input.data() + line * extent, extent}, points, k);
      error = std::max({error, std::abs(real[line * half + k] - a), std::abs(imaginary[line * half + k] - b)});
      largest = std::max(largest, std::hypot(a, b));
    }
    worst = std::max(worst, error / largest);
  }
  return worst;
}

TEST(FourierTest, MatchesDefinitionForEveryLength) {
  for (uint32_t points = 1; points <= 2048; points *= 2)
    EXPECT_LT(errorOf(2, 2, points, points), 1e-6) << points << " points";
}

TEST(FourierTest, ShortLinesContinueWithZeros) {
  for (uint32_t extent : {1u, 2u, 3u, 7u, 400u, 511u})
    EXPECT_LT(errorOf(3, 1, extent, 512), 1e-6) << extent << " of 512 points";
}

TEST(FourierTest, LongLinesAreCutOff) {
  for (uint32_t points : {1u, 2u, 4u, 64u})
    EXPECT_LT(errorOf(1, 3, points + 5, points), 1e-6) << points << " points";
}

/// Constants have one element, and a cosine two halves: no rounding where the factors are exact.
TEST(FourierTest, ExactWhereFactorsAre) {
  Random random(1);
  TestSram sram;
  Fourier c(1, 1, 4, 4, sram, random);
  sram.setValues(c.command.inputs[0], {1, 2, 3, 5});
  checkAndRun(*testTarget(), c.command, sram);
  EXPECT_THAT(sram.values(c.command.outputs[0]), testing::ElementsAre(11, -2, -3));
  EXPECT_THAT(sram.values(c.command.outputs[1]), testing::ElementsAre(0, 3, 0));
}

TEST(FourierRulesTest, RejectsOtherExtents) {
  Random random(1);
  TestSram sram;
  const Fourier good(2, 1, 6, 8, sram, random);
  EXPECT_TRUE(good.check().isOk()) << good.check().toString();
  const auto errorOf = [&](auto change) {
    Fourier c = good;
    change(c.command);
    return c.check().message();
  };
  using testing::HasSubstr;
  EXPECT_THAT(errorOf([](DspCommand &c) { c.parameters = packParameters(RealFourierParameters{6}); }),
              HasSubstr("points is 6, must be a power of two"));
  EXPECT_THAT(errorOf([](DspCommand &c) { c.parameters = packParameters(RealFourierParameters{0}); }),
              HasSubstr("points is 0, must be a power of two"));
  EXPECT_THAT(errorOf([](DspCommand &c) { c.parameters = packParameters(RealFourierParameters{4}); }),
              HasSubstr("input1: channels"));
  EXPECT_THAT(errorOf([](DspCommand &c) { c.inputs[1].height = c.inputs[1].ringRows = 2; }), HasSubstr("input1"));
  EXPECT_THAT(errorOf([](DspCommand &c) { c.outputs[1].channels = 4; }), HasSubstr("output1"));
  EXPECT_THAT(errorOf([](DspCommand &c) { c.outputs[0].height = 1; }), HasSubstr("output0"));
  EXPECT_THAT(errorOf([](DspCommand &c) { c.inputs[0].type = DataType::Int32; }), HasSubstr("input0"));
}

/// Frames of 512 take 9,472 operations each, of which four are done in a cycle, and eleven loops.
TEST(FourierCostTest, CountsStepsOfTheTransform) {
  Random random(1);
  TestSram sram;
  const Fourier c(8, 1, 512, 512, sram, random);
  const auto target = testTarget();
  const TileCost cost = findKernel(c.command)->cost(*target, c.command);
  EXPECT_EQ(cost.dspOperations, 8u * 9472);
  uint64_t compute = 0;
  for (const BlockRun &run : cost.runs)
    compute += run.count * run.computeCycles;
  EXPECT_EQ(compute, 8u * (9472 / 4 + 11 * target->dsp().loopCycles));
}

} // namespace
} // namespace avocet::kernels
