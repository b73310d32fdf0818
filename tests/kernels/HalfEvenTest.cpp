//===- HalfEvenTest.cpp - DSP kernels that round halves to the even number ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Softmax.h"

#include <gmock/gmock.h>

#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

Status checkOf(const DspCommand &command) { return findKernel(CommandBody(command))->check(*testTarget(), command); }

/// Results in order of a command with one input, after its check.
std::vector<double> resultsOf(DspCommand command, const FeatureMap &in, const FeatureMap &out, TestSram &sram) {
  command.inputs = {in};
  command.outputs = {out};
  checkAndRun(*testTarget(), command, sram);
  return sram.values(out);
}

TEST(HalfEvenTest, MeansOfHalvesAreEven) {
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Int8, 1, 2, 4, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  sram.setValues(in, {1, 2, -1, -2, 2, 3, -2, -3});
  MeanParameters parameters = prepareMean(1, 1, 2);
  parameters.rounding = Rounding::Even;
  EXPECT_EQ(resultsOf(dspCommand("mean", packParameters(parameters)), in, out, sram),
            (std::vector<double>{2, 2, -2, -2}));
}

TEST(HalfEvenTest, ReducedMeansOfHalvesAreEven) {
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::UInt8, 1, 1, 8, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::UInt8, 1, 1, 4, Placement::Dense, random);
  out.zeroPoint = 7;
  sram.setValues(in, {1, 2, 3, 4, 2, 3, 4, 5});
  const MeanParameters mean = prepareMean(1, 1, 2);
  ReduceParameters parameters{ReduceKind::Mean, mean.multiplier, mean.shift, 2, {2, 4}, 1, Rounding::Even};
  EXPECT_EQ(resultsOf(dspCommand("reduce", packParameters(parameters)), in, out, sram),
            (std::vector<double>{9, 9, 11, 11}));
}

TEST(HalfEvenTest, SlopesGiveEvenHalves) {
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  FeatureMap slopes = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  sram.setValues(in, {5, -3, -5, -7});
  sram.setValues(slopes, {9, 1, 1, 1});
  BinaryParameters parameters;
  parameters.kind = BinaryKind::Prelu;
  parameters.rescaleA = prepareRequantize(1, 1);
  parameters.rescaleOutput = prepareMul(1, 0.5f, 1);
  parameters.rounding = Rounding::Even;
  DspCommand command = dspCommand("binary", packParameters(parameters));
  command.inputs = {in, slopes};
  command.outputs = {out};
  checkAndRun(*testTarget(), command, sram);
  EXPECT_EQ(sram.values(out), (std::vector<double>{5, -2, -2, -4}));
  parameters.kind = BinaryKind::Minimum;
  command.parameters = packParameters(parameters);
  EXPECT_THAT(checkOf(command).message(), testing::HasSubstr("rounding"));
}

TEST(HalfEvenTest, FloatsHaveNoRounding) {
  Random random(1);
  TestSram sram;
  DspCommand command = dspCommand("mean", packParameters(MeanParameters{0, 0, Rounding::Even}));
  command.inputs = {sram.map(DataType::Float32, 1, 2, 4, Placement::Dense, random)};
  command.outputs = {sram.map(DataType::Float32, 1, 1, 4, Placement::Dense, random)};
  EXPECT_THAT(checkOf(command).message(), testing::HasSubstr("rounding"));
  command = dspCommand("reduce", packParameters(ReduceParameters{ReduceKind::Mean, 0, 0, 1, {8}, 1, Rounding::Even}));
  command.inputs = {sram.map(DataType::Float32, 1, 1, 8, Placement::Dense, random)};
  command.outputs = {sram.map(DataType::Float32, 1, 1, 1, Placement::Dense, random)};
  EXPECT_THAT(checkOf(command).message(), testing::HasSubstr("rounding"));
}

SoftmaxParameters nearestSoftmax(float inputScale, float resultScale, int32_t zeroPoint) {
  SoftmaxParameters parameters = prepareSoftmax(1, inputScale);
  const Rescale factor = quantizeMultiplier(1.0 / resultScale);
  parameters.resultMultiplier = factor.multiplier;
  parameters.resultShift = factor.shift;
  parameters.resultZero = zeroPoint;
  return parameters;
}

class NearestSoftmaxTest : public testing::TestWithParam<DataType> {};

TEST_P(NearestSoftmaxTest, ResultsAreNearestToTheDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    const float scale = pickReal(random, 0.005f, 0.3f), steps = pickReal(random, 0.001f, 0.02f);
    const auto channels = static_cast<uint32_t>(pick(random, 1, 600));
    FeatureMap in = sram.map(GetParam(), 1, 2, channels, Placement::Scattered, random);
    FeatureMap out = sram.map(GetParam(), 1, 2, channels, Placement::Scattered, random);
    out.zeroPoint = pick(random, minValue(GetParam()), maxValue(GetParam()));
    sram.fill(in, random);
    resultsOf(dspCommand("softmax", packParameters(nearestSoftmax(scale, steps, out.zeroPoint))), in, out, sram);
    for (uint32_t x = 0; x < 2; ++x) {
      double sum = 0;
      for (uint32_t c = 0; c < channels; ++c)
        sum += std::exp(double(scale) * sram.get(in, 0, x, c));
      for (uint32_t c = 0; c < channels; ++c) {
        const double real = std::exp(double(scale) * sram.get(in, 0, x, c)) / sum / double(steps) + out.zeroPoint;
        ASSERT_NEAR(sram.get(out, 0, x, c), std::min<double>(real, maxValue(GetParam())), 0.51) << "seed " << seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, NearestSoftmaxTest, testing::Values(DataType::Int8, DataType::UInt8));

TEST(SoftmaxFactorTest, ZeroPointIsThatOfTheParameters) {
  Random random(1);
  TestSram sram;
  DspCommand command = dspCommand("softmax", packParameters(nearestSoftmax(0.1f, 0.01f, 3)));
  command.inputs = {sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random)};
  command.outputs = {sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random)};
  EXPECT_THAT(checkOf(command).message(), testing::HasSubstr("resultZero"));
  command.inputs = command.outputs = {sram.map(DataType::Int16, 1, 1, 4, Placement::Dense, random)};
  EXPECT_THAT(checkOf(command).message(), testing::HasSubstr("resultMultiplier"));
}

} // namespace
} // namespace avocet::kernels
