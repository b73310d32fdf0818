//===- DspTest.cpp - Softmax, mean, conversions ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Softmax.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

class SoftmaxTest : public testing::TestWithParam<DataType> {};

TEST_P(SoftmaxTest, IsWithinOneStepOfTheRealFunction) {
  DataType type = GetParam();
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    float scale = pickReal(random, 0.005f, 0.3f), beta = pickReal(random, 0.5f, 2);
    auto channels = static_cast<uint32_t>(pick(random, 1, 1001));
    FeatureMap in = sram.map(type, 2, 2, channels, Placement::Scattered, random);
    FeatureMap out = sram.map(type, 2, 2, channels, Placement::Scattered, random);
    out.zeroPoint = minValue(type);
    sram.fill(in, random);
    DspCommand command = dspCommand("softmax", packParameters(prepareSoftmax(beta, scale)));
    command.inputs = {in};
    command.outputs = {out};
    checkAndRun(*target, command, sram);
    for (uint32_t y = 0; y < 2; ++y)
      for (uint32_t x = 0; x < 2; ++x) {
        double sum = 0;
        for (uint32_t c = 0; c < channels; ++c)
          sum += std::exp(double(beta) * scale * (sram.get(in, y, x, c) - 255));
        for (uint32_t c = 0; c < channels; ++c) {
          double real = std::exp(double(beta) * scale * (sram.get(in, y, x, c) - 255)) / sum;
          double expected = std::min(real * 256 + out.zeroPoint, double(maxValue(type)));
          ASSERT_NEAR(sram.get(out, y, x, c), expected, 1.0) << "seed " << seed;
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Integers, SoftmaxTest, testing::Values(DataType::Int8, DataType::UInt8));

TEST(SoftmaxWideResultTest, BytesGiveWordsOfTheDefinition) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    const float scale = pickReal(random, 0.005f, 0.3f);
    const auto channels = static_cast<uint32_t>(pick(random, 1, 100));
    FeatureMap in = sram.map(DataType::Int8, 2, 2, channels, Placement::Scattered, random);
    FeatureMap out = sram.map(DataType::Int16, 2, 2, channels, Placement::Scattered, random);
    out.zeroPoint = -32768;
    sram.fill(in, random);
    DspCommand command = dspCommand("softmax", packParameters(prepareSoftmax(1, scale)));
    command.inputs = {in};
    command.outputs = {out};
    checkAndRun(*testTarget(), command, sram);
    for (uint32_t x = 0; x < 2; ++x) {
      double sum = 0;
      for (uint32_t c = 0; c < channels; ++c)
        sum += std::exp(double(scale) * sram.get(in, 1, x, c));
      for (uint32_t c = 0; c < channels; ++c) {
        const double real = std::exp(double(scale) * sram.get(in, 1, x, c)) / sum;
        ASSERT_NEAR(sram.get(out, 1, x, c), std::min(real * 65536 - 32768, 32767.0), 2.0) << "seed " << seed;
      }
    }
  }
}

TEST(SoftmaxWideResultTest, EqualInputsShareEqually) {
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int16, 1, 1, 4, Placement::Dense, random);
  DspCommand command = dspCommand("softmax", packParameters(prepareSoftmax(1, 0.1f)));
  command.inputs = {in};
  command.outputs = {out};
  EXPECT_THAT(findKernel(CommandBody(command))->check(*testTarget(), command).message(), testing::HasSubstr("-32768"));
  command.outputs[0].zeroPoint = -32768;
  sram.setValues(in, {5, 5, 5, 5});
  checkAndRun(*testTarget(), command, sram);
  EXPECT_EQ(sram.values(out), (std::vector<double>{-16384, -16384, -16384, -16384}));
}

TEST(SoftmaxParametersTest, ParametersMatchManualCalculation) {
  // 1/16 * 2^26 = 2^22 = 2^31 * 0.5 * 2^-8: significand 2^30, shift 23; radius 31 * 2^26 / 2^23 = 248.
  SoftmaxParameters parameters = prepareSoftmax(1, 0.0625f);
  EXPECT_EQ(parameters.multiplier, 1 << 30);
  EXPECT_EQ(parameters.shift, 23);
  EXPECT_EQ(parameters.diffMin, -248);
}

TEST(SoftmaxByHandTest, EqualInputsShareEqually) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int8, 1, 1, 4, Placement::Dense, random);
  out.zeroPoint = -128;
  DspCommand command = dspCommand("softmax", packParameters(prepareSoftmax(1, 0.1f)));
  command.inputs = {in};
  command.outputs = {out};
  sram.setValues(in, {5, 5, 5, 5});
  checkAndRun(*target, command, sram);
  EXPECT_EQ(sram.values(out), (std::vector<double>{-64, -64, -64, -64}));
  // One input so large that the others vanish: 256 is clamped to 255 steps.
  sram.setValues(in, {127, -128, -128, -128});
  checkAndRun(*target, command, sram);
  EXPECT_EQ(sram.values(out), (std::vector<double>{127, -128, -128, -128}));
}

TEST(SoftmaxFloatTest, EqualsTheDefinitionAlsoInPlace) {
  auto target = testTarget();
  Random random(2);
  TestSram sram;
  FeatureMap map = sram.map(DataType::Float32, 3, 1, 17, Placement::Scattered, random);
  sram.fill(map, random);
  std::vector<double> in = sram.values(map);
  SoftmaxParameters parameters;
  parameters.beta = 1.5f;
  DspCommand command = dspCommand("softmax", packParameters(parameters));
  command.inputs = command.outputs = {map};
  checkAndRun(*target, command, sram);
  for (uint32_t y = 0; y < 3; ++y) {
    double sum = 0;
    for (uint32_t c = 0; c < 17; ++c)
      sum += std::exp(1.5 * in[y * 17 + c]);
    for (uint32_t c = 0; c < 17; ++c)
      EXPECT_NEAR(sram.get(map, y, 0, c), std::exp(1.5 * in[y * 17 + c]) / sum, 1e-6);
  }
}

//===----------------------------------------------------------------------===//
// Mean
//===----------------------------------------------------------------------===//

/// Axes of a mean as bits: 1 rows, 2 columns, 4 channels.
class MeanTest : public testing::TestWithParam<std::tuple<DataType, int>> {};

/// Sum of the input elements, less their zero point, whose mean is one output element.
double reducedSum(TestSram &sram, const FeatureMap &in, int axes, uint32_t y, uint32_t x, uint32_t c) {
  auto begin = [&](int axis, uint32_t position) { return axes & axis ? 0 : position; };
  auto end = [&](int axis, uint32_t position, uint32_t extent) { return axes & axis ? extent : position + 1; };
  double sum = 0;
  for (uint32_t iy = begin(1, y); iy < end(1, y, in.height); ++iy)
    for (uint32_t ix = begin(2, x); ix < end(2, x, in.width); ++ix)
      for (uint32_t ic = begin(4, c); ic < end(4, c, in.channels); ++ic)
        sum += sram.get(in, iy, ix, ic) - in.zeroPoint;
  return sum;
}

TEST_P(MeanTest, IsTheRescaledSumOverTheReducedAxes) {
  auto [type, axes] = GetParam();
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    TestSram sram;
    auto extent = [&] { return static_cast<uint32_t>(pick(random, 1, 9)); };
    FeatureMap in = sram.map(type, extent(), extent(), extent(), Placement::Scattered, random);
    FeatureMap out = sram.map(type, axes & 1 ? 1 : in.height, axes & 2 ? 1 : in.width, axes & 4 ? 1 : in.channels,
                              Placement::Scattered, random);
    sram.fill(in, random);
    if (!isFloat(type)) {
      in.zeroPoint = pick(random, minValue(type), maxValue(type));
      out.zeroPoint = pick(random, minValue(type), maxValue(type));
    }
    uint64_t count = uint64_t(in.height / out.height) * (in.width / out.width) * (in.channels / out.channels);
    MeanParameters parameters = prepareMean(0.02f, 0.015f, count);
    DspCommand command = dspCommand("mean", packParameters(parameters));
    command.inputs = {in};
    command.outputs = {out};
    checkAndRun(*target, command, sram);
    for (uint32_t y = 0; y < out.height; ++y)
      for (uint32_t x = 0; x < out.width; ++x)
        for (uint32_t c = 0; c < out.channels; ++c) {
          double sum = reducedSum(sram, in, axes, y, x, c), actual = sram.get(out, y, x, c);
          double mean = sum / static_cast<double>(count);
          if (isFloat(type)) {
            ASSERT_NEAR(actual, mean, 1e-5);
            continue;
          }
          int64_t exact = rescaledByDefinition(static_cast<int64_t>(sum), parameters.multiplier, parameters.shift);
          double low = minValue(type), high = maxValue(type);
          ASSERT_EQ(actual, std::clamp<double>(static_cast<double>(exact + out.zeroPoint), low, high));
          ASSERT_NEAR(actual, std::clamp<double>(mean * 0.02 / 0.015 + out.zeroPoint, low, high), 0.8);
        }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeanTest,
                         testing::Combine(testing::Values(DataType::Int8, DataType::UInt8, DataType::Float32),
                                          testing::Range(0, 8)));

TEST(MeanParametersTest, CountIsFoldedIntoTheMultiplier) {
  // 1.0 = 2^30, shift 1. Of 49 the five extra bits: (2^30 << 5) / 49, shift 1 - 5.
  MeanParameters parameters = prepareMean(0.5f, 0.5f, 49);
  EXPECT_EQ(parameters.multiplier, static_cast<int32_t>((int64_t(1) << 35) / 49));
  EXPECT_EQ(parameters.shift, -4);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

TEST(QuantizeTest, RoundsHalfAwayFromZeroAndSaturates) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Float32, 1, 1, 8, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int8, 1, 1, 8, Placement::Dense, random);
  out.zeroPoint = 1;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  sram.setValues(in, {0.25, -0.25, 0.7, -0.8, 1e30, -kInfinity, kInfinity, std::nan("")});
  DspCommand command = dspCommand("quantize", packParameters(QuantizeParameters{0.5f}));
  command.inputs = {in};
  command.outputs = {out};
  checkAndRun(*target, command, sram);
  EXPECT_EQ(sram.values(out), (std::vector<double>{2, 0, 2, -1, 127, -128, 127, 1}));
}

/// Floats around every half and around the limits of the result types, against the definition.
TEST(QuantizeTest, RoundsEveryNeighborOfHalvesAsDefined) {
  auto target = testTarget();
  std::vector<float> values = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e30f, -1e30f, 1e9f, 0x1p-149f, 262144.5f};
  for (int32_t half = -66000; half <= 66000; half += half < -600 || half > 600 ? 97 : 1)
    for (const float value : {static_cast<float>(half) / 2, std::nextafter(static_cast<float>(half) / 2, INFINITY),
                              std::nextafter(static_cast<float>(half) / 2, -INFINITY)})
      values.push_back(value);
  for (const auto &[type, zeroPoint] :
       {std::pair(DataType::Int8, -128), {DataType::UInt8, 255}, {DataType::Int16, 32767}}) {
    Random random(1);
    TestSram sram;
    const auto count = static_cast<uint32_t>(values.size());
    FeatureMap input = sram.map(DataType::Float32, 1, count, 1, Placement::Dense, random);
    FeatureMap output = sram.map(type, 1, count, 1, Placement::Dense, random);
    output.zeroPoint = zeroPoint;
    std::copy(values.begin(), values.end(), sram.at<float>(input.address));
    for (const uint32_t toEven : {0u, 1u}) {
      DspCommand command = dspCommand("quantize", packParameters(QuantizeParameters{1.0f, toEven}));
      command.inputs = {input};
      command.outputs = {output};
      checkAndRun(*target, command, sram);
      for (uint32_t i = 0; i < count; ++i) {
        const double real = std::isnan(values[i]) ? 0.0 : static_cast<double>(values[i]);
        const double rounded = toEven != 0 ? std::nearbyint(real) : std::round(real);
        EXPECT_EQ(sram.get(output, 0, i, 0), std::clamp<double>(rounded + zeroPoint, minValue(type), maxValue(type)))
            << values[i];
      }
    }
  }
}

TEST(DequantizeTest, InvertsQuantize) {
  auto target = testTarget();
  for (DataType type : {DataType::Int8, DataType::UInt8, DataType::Int16}) {
    Random random(1);
    TestSram sram;
    FeatureMap in = sram.map(type, 2, 3, 7, Placement::Scattered, random);
    FeatureMap real = sram.map(DataType::Float32, 2, 3, 7, Placement::Scattered, random);
    FeatureMap out = sram.map(type, 2, 3, 7, Placement::Scattered, random);
    in.zeroPoint = out.zeroPoint = 17;
    sram.fill(in, random);
    DspCommand forth = dspCommand("dequantize", packParameters(QuantizeParameters{0.3f}));
    forth.inputs = {in};
    forth.outputs = {real};
    checkAndRun(*target, forth, sram);
    EXPECT_FLOAT_EQ(static_cast<float>(sram.get(real, 1, 2, 6)),
                    static_cast<float>(double(0.3f) * (sram.get(in, 1, 2, 6) - 17)));
    DspCommand back = dspCommand("quantize", packParameters(QuantizeParameters{0.3f}));
    back.inputs = {real};
    back.outputs = {out};
    checkAndRun(*target, back, sram);
    EXPECT_EQ(sram.values(out), sram.values(in));
  }
}

TEST(DequantizeTest, HalvesAreRoundedOnce) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::UInt8, 1, 1, 256, Placement::Dense, random);
  FeatureMap real = sram.map(DataType::Float16, 1, 1, 256, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::UInt8, 1, 1, 256, Placement::Dense, random);
  in.zeroPoint = out.zeroPoint = 100;
  for (uint32_t c = 0; c < 256; ++c)
    sram.set(in, 0, 0, c, c);
  DspCommand forth = dspCommand("dequantize", packParameters(QuantizeParameters{0.3f}));
  forth.inputs = {in};
  forth.outputs = {real};
  checkAndRun(*target, forth, sram);
  for (uint32_t c = 0; c < 256; ++c)
    EXPECT_EQ(sram.get(real, 0, 0, c),
              static_cast<double>(static_cast<_Float16>(0.3f * (static_cast<float>(c) - 100))));
  DspCommand back = dspCommand("quantize", packParameters(QuantizeParameters{0.3f}));
  back.inputs = {real};
  back.outputs = {out};
  checkAndRun(*target, back, sram);
  EXPECT_EQ(sram.values(out), sram.values(in));
}

TEST(RequantizeTest, EqualScalesMoveTheZeroPointOnly) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Int8, 4, 8, 8, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::UInt8, 4, 8, 8, Placement::Dense, random);
  in.zeroPoint = -128;
  sram.fill(in, random);
  Rescale same = prepareRequantize(0.25f, 0.25f);
  DspCommand command = dspCommand("requantize", packParameters(RequantizeParameters{same.multiplier, same.shift}));
  command.inputs = {in};
  command.outputs = {out};
  checkAndRun(*target, command, sram);
  std::vector<double> before = sram.values(in), after = sram.values(out);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(after[i], before[i] + 128);
}

TEST(RequantizeTest, EqualsTheDefinition) {
  auto target = testTarget();
  for (DataType from : {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32})
    for (DataType to : {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32}) {
      Random random(static_cast<uint32_t>(from) * 16 + static_cast<uint32_t>(to));
      TestSram sram;
      FeatureMap in = sram.map(from, 3, 3, 11, Placement::Scattered, random);
      FeatureMap out = sram.map(to, 3, 3, 11, Placement::Scattered, random);
      in.zeroPoint = from == DataType::Int32 ? 0 : pick(random, 0, 100);
      out.zeroPoint = to == DataType::Int32 ? 0 : pick(random, 0, 100);
      sram.fill(in, random);
      Rescale rescale = prepareRequantize(1.0f, from == DataType::Int32 ? 1e7f : to == DataType::Int32 ? 1e-4f : 1.7f);
      DspCommand command =
          dspCommand("requantize", packParameters(RequantizeParameters{rescale.multiplier, rescale.shift}));
      command.inputs = {in};
      command.outputs = {out};
      checkAndRun(*target, command, sram);
      std::vector<double> before = sram.values(in), after = sram.values(out);
      for (size_t i = 0; i < before.size(); ++i) {
        auto centered = static_cast<int64_t>(before[i]) - in.zeroPoint;
        int64_t value = rescaledByDefinition(centered, rescale.multiplier, rescale.shift) + out.zeroPoint;
        ASSERT_EQ(after[i], static_cast<double>(std::clamp<int64_t>(value, minValue(to), maxValue(to))));
      }
    }
}

TEST(RequantizeTest, RefusesZeroPointOfI32Result) {
  Random random(1);
  TestSram sram;
  DspCommand command = dspCommand("requantize", packParameters(RequantizeParameters{1 << 30, 0}));
  command.inputs = {sram.map(DataType::Int8, 1, 1, 8, Placement::Dense, random)};
  command.outputs = {sram.map(DataType::Int32, 1, 1, 8, Placement::Dense, random)};
  const Kernel *kernel = findKernel(CommandBody(command));
  EXPECT_TRUE(kernel->check(*testTarget(), command).isOk());
  command.outputs[0].zeroPoint = 3;
  EXPECT_THAT(kernel->check(*testTarget(), command).message(), testing::HasSubstr("0 for i32"));
}

} // namespace
} // namespace avocet::kernels
