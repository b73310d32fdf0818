//===- WideFunctionsTest.cpp - Functions of 16-bit numbers ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Known results are those of TensorFlow Lite 2.9.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/WideFunctions.h"

#include <cmath>
#include <numeric>

namespace avocet::kernels {
namespace {

using namespace firmware;

using Numbers = std::vector<double>;

/// Runs a kernel with one 16-bit operand of one pixel.
Numbers runOn(const char *kernel, std::vector<uint32_t> parameters, const Numbers &input) {
  Random random(1);
  TestSram sram;
  auto count = static_cast<uint32_t>(input.size());
  DspCommand command;
  command.kernel = *dspKernelNumber(kernel);
  command.parameters = std::move(parameters);
  command.inputs = {sram.map(DataType::Int16, 1, 1, count, Placement::Dense, random)};
  command.outputs = {sram.map(DataType::Int16, 1, 1, count, Placement::Dense, random)};
  sram.setValues(command.inputs[0], input);
  checkAndRun(*testTarget(), command, sram);
  return sram.values(command.outputs[0]);
}

Numbers sigmoidOf(WideSigmoidFunction function, float scale, const Numbers &input) {
  return runOn("wideSigmoid", packParameters(prepareWideSigmoid(function, scale)), input);
}

struct KnownSigmoid {
  float scale;
  Numbers logistic, tanh;
};

const Numbers kInputs = {-32768, -20001, -4097, -129, -1, 0, 1, 128, 511, 512, 4095, 12345, 32767};

const KnownSigmoid kKnown[] = {
    {0.0003f,
     {2, 81, 7417, 16067, 16381, 16384, 16387, 16699, 17638, 17640, 25347, 31980, 32766},
     {-32767, -32767, -27601, -1269, -11, 0, 11, 1258, 4985, 4993, 27595, 32729, 32767}},
    {0.01f,
     {1, 1, 1, 7073, 16302, 16384, 16466, 25639, 32571, 32573, 32767, 32767, 32767},
     {-32767, -32767, -32767, -28152, -328, 0, 328, 28065, 32766, 32766, 32767, 32767, 32767}},
};

TEST(WideSigmoidTest, EqualsTheReferencesResults) {
  for (const KnownSigmoid &known : kKnown) {
    EXPECT_EQ(sigmoidOf(WideSigmoidFunction::Logistic, known.scale, kInputs), known.logistic) << known.scale;
    EXPECT_EQ(sigmoidOf(WideSigmoidFunction::Tanh, known.scale, kInputs), known.tanh) << known.scale;
  }
}

/// In these cases TensorFlow Lite's optimized kernel differs from its reference, whose formula has these figures.
TEST(WideSigmoidTest, PowersOfTwoNeedNoRounding) {
  auto words = [](WideSigmoidFunction function, float scale) {
    return packParameters(prepareWideSigmoid(function, scale));
  };
  EXPECT_EQ(words(WideSigmoidFunction::Logistic, 0x1p-12f), (std::vector<uint32_t>{0, 3, 0}));
  EXPECT_EQ(words(WideSigmoidFunction::Tanh, 0x1p-12f), (std::vector<uint32_t>{1, 3, 0}));
  EXPECT_EQ(words(WideSigmoidFunction::Tanh, 0x1p-11f), (std::vector<uint32_t>{1, 6, 0}));
  EXPECT_EQ(words(WideSigmoidFunction::Logistic, 0x1p-11f), (std::vector<uint32_t>{0, 24576, 12}));
  for (float rounded : {0.9994f, 1.0006f}) {
    EXPECT_EQ(words(WideSigmoidFunction::Logistic, rounded * 0x1p-12f), (std::vector<uint32_t>{0, 3, 0}));
    EXPECT_EQ(words(WideSigmoidFunction::Tanh, rounded * 0x1p-11f), (std::vector<uint32_t>{1, 6, 0}));
  }
  EXPECT_NE(words(WideSigmoidFunction::Logistic, 1.0008f * 0x1p-12f), (std::vector<uint32_t>{0, 3, 0}));
}

/// The table and its interpolation are exact to about 2^-12.
TEST(WideSigmoidTest, IsNearTheRealFunctions) {
  Numbers all(65536);
  std::iota(all.begin(), all.end(), -32768);
  for (float scale : {0x1p-15f, 0.0001f, 0.0003f, 0x1p-12f, 0.003f}) {
    Numbers logistic = sigmoidOf(WideSigmoidFunction::Logistic, scale, all);
    Numbers tangent = sigmoidOf(WideSigmoidFunction::Tanh, scale, all);
    for (size_t i = 0; i < all.size(); ++i) {
      double real = all[i] * scale;
      ASSERT_NEAR(logistic[i], 32768 / (1 + std::exp(-real)), 8) << real;
      ASSERT_NEAR(tangent[i], 32768 * std::tanh(real), 32) << real;
    }
  }
}

TEST(WideSigmoidTest, HugeScalesSaturate) {
  EXPECT_EQ(sigmoidOf(WideSigmoidFunction::Logistic, 1e30f, {-32768, -1, 0, 1, 32767}),
            (Numbers{1, 1, 16384, 32767, 32767}));
  EXPECT_EQ(sigmoidOf(WideSigmoidFunction::Tanh, 1e30f, {-32768, -1, 0, 1, 32767}),
            (Numbers{-32767, -32767, 0, 32767, 32767}));
}

TEST(WideSigmoidTest, RefusesParametersOutOfRange) {
  Random random(1);
  TestSram sram;
  FeatureMap map = sram.map(DataType::Int16, 1, 1, 4, Placement::Dense, random);
  DspCommand command;
  command.kernel = kWideSigmoidKernel.number;
  command.inputs = command.outputs = {map};
  auto isLegal = [&](std::vector<uint32_t> parameters) {
    command.parameters = std::move(parameters);
    return findKernel(command)->check(*testTarget(), command).isOk();
  };
  EXPECT_TRUE(isLegal({1, 3, 31}));
  EXPECT_FALSE(isLegal({2, 3, 0}));
  EXPECT_FALSE(isLegal({0, 0x80000000, 0}));
  EXPECT_FALSE(isLegal({0, 3, 32}));
  command.inputs[0].type = command.outputs[0].type = DataType::UInt16;
  EXPECT_FALSE(isLegal({0, 3, 0}));
}

TEST(WideSoftmaxTest, EqualsTheReferencesResults) {
  const Numbers input = {-32768, -1000, 0, 5000, 5001, 12000, -7, 12000, 32767};
  auto softmax = [&](float beta, float scale) {
    return runOn("softmax", packParameters(prepareWideSoftmax(beta, scale)), input);
  };
  EXPECT_EQ(softmax(1, 0.0003f), (Numbers{2, 2, 2, 8, 8, 65, 2, 65, 32615}));
  EXPECT_EQ(softmax(0.7f, 0.0001f), (Numbers{162, 1497, 1605, 2278, 2278, 3718, 1604, 3718, 15909}));
  EXPECT_EQ(softmax(1, 0.00002f), (Numbers{1672, 3156, 3219, 3558, 3558, 4093, 3219, 4093, 6200}));
}

/// Tables of 513 entries are exact to about 2^-14.
TEST(WideSoftmaxTest, IsNearTheRealFunction) {
  Random random(1);
  for (int count : {1, 2, 100, 3000}) {
    Numbers input(static_cast<size_t>(count));
    for (double &value : input)
      value = pick(random, -32768, 32767);
    const float scale = 0.0001f;
    Numbers result = runOn("softmax", packParameters(prepareWideSoftmax(1, scale)), input);
    double largest = *std::max_element(input.begin(), input.end()), sum = 0;
    for (double value : input)
      sum += std::exp(scale * (value - largest));
    for (size_t i = 0; i < input.size(); ++i)
      ASSERT_NEAR(result[i], 32768 * std::exp(scale * (input[i] - largest)) / sum, 6);
  }
}

/// More exponentials of 1 than a sum of 31 bits holds.
TEST(WideSoftmaxTest, SumsSaturate) {
  Numbers result = runOn("softmax", packParameters(prepareWideSoftmax(1, 0.1f)), Numbers(66000, 5));
  EXPECT_EQ(result, Numbers(66000, result.front()));
  EXPECT_LE(result.front(), 1);
}

/// One input is divided by 2^n with halves away from zero; the sum saturates.
TEST(ShiftedAddTest, RoundsOnlyTheShift) {
  AddRescales rescales = prepareShiftedAdd(1.0f, 0.25f, 1.0f);
  Random random(1);
  TestSram sram;
  EltwiseCommand command;
  command.inputA = sram.map(DataType::Int16, 1, 1, 7, Placement::Dense, random);
  command.inputB = sram.map(DataType::Int16, 1, 1, 7, Placement::Dense, random);
  command.output = sram.map(DataType::Int16, 1, 1, 7, Placement::Dense, random);
  command.leftShift = rescales.leftShift;
  command.rescaleA = rescales.inputA;
  command.rescaleB = rescales.inputB;
  command.rescaleOutput = rescales.output;
  sram.setValues(command.inputA, {0, 0, 0, 10, 32767, -32768, 100});
  sram.setValues(command.inputB, {2, -2, 1, -6, 32767, -32768, -7});
  checkAndRun(*testTarget(), command, sram);
  EXPECT_EQ(sram.values(command.output), (Numbers{1, -1, 0, 8, 32767, -32768, 98}));
  EXPECT_EQ(prepareShiftedAdd(1.0f, 0x1p-40f, 1.0f).inputB.shift, -31);
  EXPECT_EQ(prepareShiftedAdd(0.9995f, 0.2501f, 1.0004f).inputB, rescales.inputB);
}

/// RELU6 of 16-bit numbers: a change of scale and a clamp.
TEST(RequantizeTest, ClampsToTheBoundsOfAnActivation) {
  Rescale half = prepareRequantize(0.5f, 1.0f);
  EXPECT_EQ(runOn("requantize", packParameters(RequantizeParameters{half.multiplier, half.shift, 0, 6}),
                  {-32768, -1, 0, 1, 2, 12, 13, 32767}),
            (Numbers{0, 0, 0, 1, 1, 6, 6, 6}));
}

} // namespace
} // namespace avocet::kernels
