//===- NormalizeTest.cpp - Normalizations along one axis ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares each kernel with its definition in doubles, on tensors of four axes addressed by all four coordinates; the
// kernels use [outer, axis, inner].
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/InverseSquareRoot.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Normalize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

using Shape = std::array<uint32_t, 4>;
using Line = std::vector<double>;

/// A command on maps of random contents, and the expected elements.
struct Lines {
  DspCommand command;
  Shape shape;
  uint32_t axis;
  bool pixels; ///< lines are the pixels of the maps, which may be at any address

  AxisExtents extents() const {
    if (pixels)
      return {0, shape[3], 1};
    AxisExtents extents{1, shape[axis], 1};
    for (uint32_t i = 0; i < 4; ++i)
      (i < axis ? extents.outer : extents.inner) *= i == axis ? 1 : shape[i];
    return extents;
  }
};

Lines makeLines(const char *kernel, DataType type, TestSram &sram, Random &random) {
  Lines lines;
  for (uint32_t &extent : lines.shape)
    extent = static_cast<uint32_t>(pick(random, 1, 9));
  lines.axis = static_cast<uint32_t>(pick(random, 0, 3));
  lines.pixels = lines.axis == 3 && pick(random, 0, 1) != 0;
  auto placement = lines.pixels ? Placement::Scattered : Placement::Dense;
  auto map = [&] {
    return sram.map(type, lines.shape[0] * lines.shape[1], lines.shape[2], lines.shape[3], placement, random);
  };
  lines.command.kernel = *dspKernelNumber(kernel);
  lines.command.inputs = {map()};
  lines.command.outputs = {map()};
  sram.fill(lines.command.inputs[0], random);
  return lines;
}

/// Applies `f` to each line, in the order of the tensor.
Line transformed(const Lines &lines, const Line &input, const std::function<Line(const Line &)> &f) {
  Line output(input.size());
  const Shape &s = lines.shape;
  std::array<uint32_t, 4> strides = {s[1] * s[2] * s[3], s[2] * s[3], s[3], 1}, at;
  for (at[0] = 0; at[0] < s[0]; ++at[0])
    for (at[1] = 0; at[1] < s[1]; ++at[1])
      for (at[2] = 0; at[2] < s[2]; ++at[2])
        for (at[3] = 0; at[3] < s[3]; ++at[3]) {
          if (at[lines.axis] != 0)
            continue;
          uint32_t first = 0;
          for (uint32_t i = 0; i < 4; ++i)
            first += at[i] * strides[i];
          Line line;
          for (uint32_t i = 0; i < s[lines.axis]; ++i)
            line.push_back(input[first + i * strides[lines.axis]]);
          line = f(line);
          for (uint32_t i = 0; i < s[lines.axis]; ++i)
            output[first + i * strides[lines.axis]] = line[i];
        }
  return output;
}

double toleranceOf(DataType type, double value) {
  return type == DataType::Float16 ? std::ldexp(std::max(1.0, std::fabs(value)), -11) : 2e-6 * (1 + std::fabs(value));
}

/// Runs the command and compares with the definition `f`.
void expectLines(Lines &lines, TestSram &sram, const std::function<Line(const Line &)> &f) {
  Line expected = transformed(lines, sram.values(lines.command.inputs[0]), f);
  checkAndRun(*testTarget(), lines.command, sram);
  Line actual = sram.values(lines.command.outputs[0]);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], toleranceOf(lines.command.inputs[0].type, expected[i])) << "element " << i;
}

Line softmax(const Line &x, double beta) {
  Line y;
  double largest = *std::max_element(x.begin(), x.end()), sum = 0;
  for (double v : x)
    sum += std::exp(beta * (v - largest));
  for (double v : x)
    y.push_back(std::exp(beta * (v - largest)) / sum);
  return y;
}

class NormalizeFloatTest : public testing::TestWithParam<DataType> {};

TEST_P(NormalizeFloatTest, SoftmaxMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("softmaxNd", GetParam(), sram, random);
    SoftmaxNdParameters parameters{lines.extents(), {}};
    parameters.softmax.beta = pickReal(random, -1, 2);
    lines.command.parameters = packParameters(parameters);
    expectLines(lines, sram, [&](const Line &x) { return softmax(x, parameters.softmax.beta); });
  }
}

TEST_P(NormalizeFloatTest, LogSoftmaxMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("logSoftmax", GetParam(), sram, random);
    float beta = pickReal(random, 0.1f, 2);
    lines.command.parameters = packParameters(LogSoftmaxParameters{lines.extents(), beta});
    expectLines(lines, sram, [&](const Line &x) {
      Line y = softmax(x, beta);
      for (double &v : y)
        v = std::log(v);
      return y;
    });
  }
}

TEST_P(NormalizeFloatTest, L2NormalizeMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("l2Normalize", GetParam(), sram, random);
    lines.command.parameters = packParameters(L2NormalizeParameters{lines.extents()});
    expectLines(lines, sram, [&](Line x) {
      double sum = 0;
      for (double v : x)
        sum += v * v;
      for (double &v : x)
        v /= std::sqrt(sum);
      return x;
    });
  }
}

TEST_P(NormalizeFloatTest, LocalResponseMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("localResponse", GetParam(), sram, random);
    LocalResponseParameters p{lines.extents(), static_cast<uint32_t>(pick(random, 0, 10)), pickReal(random, 0.5f, 4),
                              pickReal(random, 0, 2), pickReal(random, 0, 2)};
    if (seed == 0)
      p.radius = std::numeric_limits<uint32_t>::max();
    lines.command.parameters = packParameters(p);
    expectLines(lines, sram, [&](const Line &x) {
      Line y;
      for (int64_t i = 0; i < int64_t(x.size()); ++i) {
        double sum = 0;
        for (int64_t j = 0; j < int64_t(x.size()); ++j)
          if (std::abs(i - j) <= int64_t(p.radius))
            sum += x[j] * x[j];
        y.push_back(x[i] * std::pow(p.bias + p.alpha * sum, -p.beta));
      }
      return y;
    });
  }
}

TEST_P(NormalizeFloatTest, InstanceNormalizeMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("instanceNormalize", GetParam(), sram, random);
    InstanceNormalizeParameters p{lines.extents(), pickReal(random, 0.5f, 2), pickReal(random, -2, 2), 0.01f};
    lines.command.parameters = packParameters(p);
    expectLines(lines, sram, [&](Line x) {
      double mean = 0, variance = 0;
      for (double v : x)
        mean += v / x.size();
      for (double v : x)
        variance += (v - mean) * (v - mean) / x.size();
      for (double &v : x)
        v = (v - mean) / std::sqrt(variance + p.epsilon) * p.gamma + p.beta;
      return x;
    });
  }
}

TEST_P(NormalizeFloatTest, RmsNormalizeMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("rmsNormalize", GetParam(), sram, random);
    RmsNormalizeParameters p{lines.extents(), pickReal(random, 0.001f, 1)};
    lines.command.parameters = packParameters(p);
    expectLines(lines, sram, [&](Line x) {
      double square = 0;
      for (double v : x)
        square += v * v / x.size();
      for (double &v : x)
        v /= std::sqrt(square + p.epsilon);
      return x;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Types, NormalizeFloatTest, testing::Values(DataType::Float32, DataType::Float16));

TEST(L2NormalizeTest, ZeroStaysZero) {
  TestSram sram;
  Random random(1);
  Lines lines = makeLines("l2Normalize", DataType::Float32, sram, random);
  lines.command.parameters = packParameters(L2NormalizeParameters{lines.extents()});
  sram.setValues(lines.command.inputs[0], Line(sram.values(lines.command.inputs[0]).size()));
  expectLines(lines, sram, [](const Line &x) { return x; });
}

/// Runs the signed type on the same bytes less 128; its results must be those of the unsigned type, less 128.
void expectSignedTwin(const Lines &lines, int32_t outputZeroPoint, TestSram &sram) {
  Lines twin = lines;
  FeatureMap &input = twin.command.inputs[0], &output = twin.command.outputs[0];
  Line expected = sram.values(output), shifted = sram.values(input);
  for (double &v : expected)
    v -= 128;
  for (double &v : shifted)
    v -= 128;
  input.type = output.type = DataType::Int8;
  input.zeroPoint -= 128;
  output.zeroPoint = outputZeroPoint;
  sram.setValues(input, shifted);
  checkAndRun(*testTarget(), twin.command, sram);
  EXPECT_EQ(sram.values(output), expected);
}

TEST(NormalizeIntegerTest, SoftmaxOfSignedEqualsUnsigned) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("softmaxNd", DataType::UInt8, sram, random);
    // Scales and factors down to values for which all inputs count equally.
    float scale = pickReal(random, 0.005f, 0.3f), beta = seed % 4 == 0 ? 1e-6f : pickReal(random, 0.5f, 2);
    lines.command.parameters = packParameters(SoftmaxNdParameters{lines.extents(), prepareSoftmax(beta, scale)});
    Line expected = transformed(lines, sram.values(lines.command.inputs[0]),
                                [&](const Line &x) { return softmax(x, double(beta) * scale); });
    checkAndRun(*testTarget(), lines.command, sram);
    Line actual = sram.values(lines.command.outputs[0]);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(actual[i], std::min(expected[i] * 256, 255.0), 1.0) << "seed " << seed;
    expectSignedTwin(lines, -128, sram);
  }
}

TEST(NormalizeIntegerTest, LogSoftmaxMatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    Lines lines = makeLines("logSoftmax", DataType::UInt8, sram, random);
    lines.command.outputs[0].zeroPoint = 255;
    const float scale = pickReal(random, 0.005f, 0.3f);
    lines.command.parameters = packParameters(LogSoftmaxParameters{lines.extents(), scale});
    Line expected = transformed(lines, sram.values(lines.command.inputs[0]), [&](const Line &x) {
      Line y = softmax(x, scale);
      for (double &v : y)
        v = std::max(std::log(v) * 16 + 255, 0.0);
      return y;
    });
    checkAndRun(*testTarget(), lines.command, sram);
    Line actual = sram.values(lines.command.outputs[0]);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], 0.51) << "seed " << seed;
    expectSignedTwin(lines, 127, sram);
  }
}

void expectL2OfIntegers(DataType type, uint32_t seed) {
  const int32_t lowest = minValue(type), middle = lowest + 128;
  Random random(seed);
  TestSram sram;
  Lines lines = makeLines("l2Normalize", type, sram, random);
  const int32_t zeroPoint = lines.command.inputs[0].zeroPoint = pick(random, lowest, lowest + 255);
  lines.command.outputs[0].zeroPoint = middle;
  lines.command.parameters = packParameters(L2NormalizeParameters{lines.extents()});
  Line expected = transformed(lines, sram.values(lines.command.inputs[0]), [&](Line x) {
    double sum = 0;
    for (double &v : x)
      sum += (v - zeroPoint) * (v - zeroPoint);
    for (double &v : x)
      v = std::clamp((sum > 0 ? (v - zeroPoint) / std::sqrt(sum) : 0.0) * 128 + middle, double(lowest),
                     double(lowest + 255));
    return x;
  });
  checkAndRun(*testTarget(), lines.command, sram);
  Line actual = sram.values(lines.command.outputs[0]);
  // Unsigned elements are rounded twice, the first time to halves at most; signed ones to finer steps.
  const double tolerance = type == DataType::UInt8 ? 0.76 : 0.51;
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "seed " << seed;
}

TEST(NormalizeIntegerTest, L2MatchesDefinition) {
  for (uint32_t seed = 0; seed < 40; ++seed)
    for (DataType type : {DataType::UInt8, DataType::Int8})
      ASSERT_NO_FATAL_FAILURE(expectL2OfIntegers(type, seed));
}

/// One line of bytes whose last element has its own value, and its results.
Line longLine(const char *kernel, const std::vector<uint32_t> &parameters, uint32_t length, double value, double last,
              int32_t resultZeroPoint) {
  TestSram sram;
  Random random(1);
  DspCommand command;
  command.kernel = *dspKernelNumber(kernel);
  command.inputs = {sram.map(DataType::Int8, 1, 1, length, Placement::Dense, random)};
  command.outputs = command.inputs;
  command.inputs[0].zeroPoint = -128;
  command.outputs[0].zeroPoint = resultZeroPoint;
  command.parameters = parameters;
  Line line(length, value);
  line.back() = last;
  sram.setValues(command.inputs[0], line);
  checkAndRun(*testTarget(), command, sram);
  return sram.values(command.outputs[0]);
}

TEST(NormalizeIntegerTest, SoftmaxOfLongEvenLineIsZero) {
  for (uint32_t length : {600u, 5000u, 100000u})
    EXPECT_EQ(longLine("softmax", packParameters(prepareSoftmax(1, 0.1f)), length, 5, 5, -128), Line(length, -128));
}

TEST(NormalizeIntegerTest, SoftmaxOfLongLineKeepsLargeResult) {
  const uint32_t length = 100000; // 100,000 * exp(-8) = 33.5
  const Line results = longLine("softmax", packParameters(prepareSoftmax(1, 0.1f)), length, -16, 64, -128);
  EXPECT_NEAR(results.back(), 256 / 34.5 - 128, 1);
  EXPECT_EQ(results.front(), -128);
}

TEST(NormalizeIntegerTest, LogSoftmaxOfLongLineSaturates) {
  // -log(1000) * 16 = -110.5; the logarithm of 4096 and more is -8.32 * 16 = -133.1.
  const auto even = [](uint32_t length) {
    return longLine("logSoftmax", packParameters(LogSoftmaxParameters{{1, length, 1}, 0.1f}), length, 5, 5, 127);
  };
  EXPECT_EQ(even(1000), Line(1000, 16));
  EXPECT_EQ(even(100000), Line(100000, -6));
}

TEST(NormalizeIntegerTest, L2OfLongLineMatchesDefinition) {
  // The sum of squares needs 33 bits. sqrt(100,000) / 128 = 2.47: one element of the full range gives 0.4 steps.
  const uint32_t length = 100000;
  EXPECT_EQ(longLine("l2Normalize", packParameters(L2NormalizeParameters{{1, length, 1}}), length, 127, 127, 0),
            Line(length, 0));
  const uint32_t few = 16000;
  EXPECT_EQ(longLine("l2Normalize", packParameters(L2NormalizeParameters{{1, few, 1}}), few, 127, 127, 0),
            Line(few, 1));
}

TEST(InverseSquareRootTest, IsCloseAboveThirtyTwoBits) {
  for (int bits = 31; bits < 60; ++bits) {
    const int64_t x = (int64_t(1) << bits) + 12345;
    const Rescale root = inverseSquareRoot(x);
    EXPECT_NEAR(std::ldexp(double(root.multiplier), root.shift - 31) * std::sqrt(double(x)), 1, 1.3e-6) << bits;
  }
}

TEST(InverseSquareRootTest, IsCloseToRealFunction) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    int32_t x = i < 100 ? i : pick(random, 2, std::numeric_limits<int32_t>::max() >> pick(random, 0, 29));
    Rescale root = inverseSquareRoot(x);
    double real = std::ldexp(double(root.multiplier), root.shift - 31);
    ASSERT_LE(root.shift, 0);
    // The iteration starts at 1; this is its error after five steps where it has to double.
    ASSERT_NEAR(real * std::sqrt(std::max(x, 1)), 1, 1.3e-6) << x;
  }
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

TEST(NormalizeRulesTest, LogSoftmaxOfBytesNeedsItsZeroPoint) {
  TestSram sram;
  Random random(3);
  Lines lines = makeLines("logSoftmax", DataType::UInt8, sram, random);
  const auto legal = [&](int32_t zeroPoint, float scale) {
    lines.command.outputs[0].zeroPoint = zeroPoint;
    lines.command.parameters = packParameters(LogSoftmaxParameters{lines.extents(), scale});
    return isLegal(lines.command);
  };
  EXPECT_TRUE(legal(255, 0.1f));
  EXPECT_FALSE(legal(127, 0.1f));
  EXPECT_FALSE(legal(255, 0));
  EXPECT_FALSE(legal(255, -1));
  EXPECT_FALSE(legal(255, std::numeric_limits<float>::infinity()));
}

TEST(NormalizeRulesTest, RejectsExtentsThatDifferFromElements) {
  TestSram sram;
  Random random(3);
  Lines lines = makeLines("logSoftmax", DataType::Float32, sram, random);
  const AxisExtents right = lines.extents();
  auto legal = [&](AxisExtents extents) {
    lines.command.parameters = packParameters(LogSoftmaxParameters{extents, 1});
    return isLegal(lines.command);
  };
  EXPECT_TRUE(legal(right));
  EXPECT_FALSE(legal({0, right.axis, 2}));
  EXPECT_FALSE(legal({0, lines.shape[3] + 1, 1}));
  EXPECT_FALSE(legal({right.outer, 0, right.inner}));
  EXPECT_FALSE(legal({right.outer, right.axis, 0}));
  EXPECT_FALSE(legal({right.outer + 1, right.axis, right.inner}));
  EXPECT_FALSE(legal({right.outer, right.axis, right.inner + 1}));
  EXPECT_FALSE(legal({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}));
  EXPECT_FALSE(legal({1u << 31, 2, 1}));
  lines.command.parameters.pop_back();
  EXPECT_FALSE(isLegal(lines.command));
}

TEST(NormalizeRulesTest, RejectsMapsThatAreNotDense) {
  TestSram sram;
  Random random(3);
  DspCommand command;
  command.kernel = *dspKernelNumber("l2Normalize");
  command.inputs = command.outputs = {sram.map(DataType::Float16, 4, 3, 5, Placement::Dense, random)};
  command.parameters = packParameters(L2NormalizeParameters{{4, 3, 5}});
  ASSERT_TRUE(isLegal(command));
  command.inputs[0].rowStride += 2;
  EXPECT_FALSE(isLegal(command));
  command.inputs[0].rowStride -= 2;
  command.outputs[0].pixelStride += 2;
  command.outputs[0].rowStride += 6;
  EXPECT_FALSE(isLegal(command));
}

TEST(NormalizeRulesTest, RejectsNonFiniteParameters) {
  TestSram sram;
  Random random(3);
  const float infinity = std::numeric_limits<float>::infinity();
  Lines lines = makeLines("localResponse", DataType::Float32, sram, random);
  for (int field = 0; field < 4; ++field) {
    LocalResponseParameters p{lines.extents(), 1, 1, 1, 1};
    if (field > 0)
      (field == 1 ? p.bias : field == 2 ? p.alpha : p.beta) = infinity;
    lines.command.parameters = packParameters(p);
    EXPECT_EQ(isLegal(lines.command), field == 0);
  }
  lines = makeLines("instanceNormalize", DataType::Float32, sram, random);
  for (int field = 0; field < 4; ++field) {
    InstanceNormalizeParameters p{lines.extents(), 1, 1, 1};
    if (field > 0)
      (field == 1 ? p.gamma : field == 2 ? p.beta : p.epsilon) = std::nanf("");
    lines.command.parameters = packParameters(p);
    EXPECT_EQ(isLegal(lines.command), field == 0);
  }
}

TEST(NormalizeRulesTest, RejectsIntegerResultsOffCenter) {
  TestSram sram;
  Random random(3);
  DspCommand command;
  command.kernel = *dspKernelNumber("l2Normalize");
  command.inputs = {sram.map(DataType::UInt8, 1, 1, 100, Placement::Dense, random)};
  command.outputs = command.inputs;
  command.outputs[0].zeroPoint = 128;
  command.parameters = packParameters(L2NormalizeParameters{{1, 100, 1}});
  EXPECT_TRUE(isLegal(command));
  command.outputs[0].zeroPoint = 127;
  EXPECT_FALSE(isLegal(command));
}

} // namespace
} // namespace avocet::kernels
