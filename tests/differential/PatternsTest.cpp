//===- PatternsTest.cpp - Operators as steps of other operators -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random networks of the steps that exporters write for an operator. The compiler recognizes the operator
// (nn-recognize-operators), and the results are those without the pass, within the bounds that
// compiler/lib/Dialect/Nn/Transforms/Recognize states, and those of TensorFlow Lite.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "Operators.h"
#include "Oracle.h"
#include "Steps.h"
#include "Targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <ostream>

namespace avocet::differential {
namespace {

using enum BuiltinOperator;

constexpr float kInf = std::numeric_limits<float>::infinity(), kLargest = std::numeric_limits<float>::max();
Shape drawShape(Steps &steps) {
  Draft &draft = steps.draft();
  return {1, draft.pick(2, 5), draft.pick(2, 5), draft.pick(2, 9)};
}

/// One slope, or one for each channel.
int32_t drawSlope(Steps &steps, const Shape &shape, Range range) {
  return steps.constant(steps.oneIn(2)   ? Shape{1}
                        : steps.oneIn(2) ? Shape{shape.back()}
                                         : Shape{1, 1, shape.back()},
                        range);
}

int32_t drawRelu(Steps &steps, int32_t x) {
  return steps.oneIn(3) ? steps.commuted(MAXIMUM, x, steps.number(0)) : steps.op(RELU, {x});
}

int32_t drawNegative(Steps &steps, int32_t x) {
  if (steps.oneIn(3))
    return steps.op(SUB, {steps.number(0), x});
  return steps.oneIn(2) ? steps.op(NEG, {x}) : steps.commuted(MUL, x, steps.number(-1));
}

/// MAXIMUM and MINIMUM with constants, or one of them after a rectifier.
int32_t drawClip(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const int32_t low = steps.number(static_cast<float>(steps.draft().real(-3, 0)));
  const int32_t high = steps.number(static_cast<float>(steps.draft().real(0, 3)));
  if (steps.oneIn(3))
    return steps.commuted(MINIMUM, drawRelu(steps, x), high);
  return steps.oneIn(2) ? steps.commuted(MAXIMUM, steps.commuted(MINIMUM, x, high), low)
                        : steps.commuted(MINIMUM, steps.commuted(MAXIMUM, x, low), high);
}

int32_t drawPrelu(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const int32_t slope = drawSlope(steps, steps.shape(x), {-2, 2}), above = drawRelu(steps, x);
  if (steps.oneIn(3))
    return steps.commuted(ADD, above, steps.commuted(MUL, slope, steps.commuted(MINIMUM, x, steps.number(0))));
  const int32_t below = drawRelu(steps, drawNegative(steps, x));
  if (steps.oneIn(2))
    return steps.op(SUB, {above, steps.commuted(MUL, slope, below)});
  return steps.commuted(ADD, above, steps.commuted(MUL, slope, drawNegative(steps, below)));
}

int32_t drawAbsolutePrelu(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const int32_t slope = drawSlope(steps, steps.shape(x), {-2, 2}), above = drawRelu(steps, x);
  const int32_t below = steps.op(SUB, {x, steps.op(ABS, {x})}), half = steps.number(0.5f);
  const int32_t scaled = steps.oneIn(2) ? steps.commuted(MUL, steps.commuted(MUL, slope, below), half)
                                        : steps.commuted(MUL, slope, steps.commuted(MUL, below, half));
  return steps.commuted(ADD, above, scaled);
}

/// As a sum of multiples of x and of its magnitude.
int32_t drawLinearPrelu(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const auto slope = static_cast<float>(steps.draft().real(-1, 1));
  const int32_t plain = steps.commuted(MUL, x, steps.number(0.5f * (1 + slope)));
  const int32_t magnitude = steps.op(ABS, {x});
  if (steps.oneIn(2))
    return steps.commuted(ADD, plain, steps.commuted(MUL, magnitude, steps.number(0.5f * (1 - slope))));
  return steps.op(SUB, {plain, steps.commuted(MUL, magnitude, steps.number(-0.5f * (1 - slope)))});
}

int32_t drawLeakyRelu(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const bool isFlat = !steps.oneIn(3);
  const int32_t slope = drawSlope(steps, steps.shape(x), isFlat ? Range{0.01, 1} : Range{1, 3});
  return steps.commuted(isFlat ? MAXIMUM : MINIMUM, x, steps.commuted(MUL, x, slope));
}

int32_t drawSelectedPrelu(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4}), zero = steps.number(0);
  const int32_t scaled = steps.commuted(MUL, x, drawSlope(steps, steps.shape(x), {-2, 2}));
  if (steps.oneIn(2))
    return steps.select(steps.compare(steps.oneIn(2) ? GREATER : GREATER_EQUAL, x, zero), x, scaled);
  return steps.select(steps.compare(steps.oneIn(2) ? LESS : LESS_EQUAL, x, zero), scaled, x);
}

int32_t drawLogistic(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-12, 12}), one = steps.number(1);
  return steps.make(DIV, {one, steps.commuted(ADD, one, steps.op(EXP, {drawNegative(steps, x)}))}, steps.shape(x));
}

int32_t drawSwish(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-12, 12});
  return steps.op(DIV, {x, steps.commuted(ADD, steps.number(1), steps.op(EXP, {drawNegative(steps, x)}))});
}

int32_t drawSwishOfLogistic(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-12, 12});
  return steps.commuted(MUL, x, steps.op(LOGISTIC, {x}));
}

int32_t drawSixth(Steps &steps, int32_t x) {
  return steps.oneIn(2) ? steps.commuted(MUL, x, steps.number(1.0f / 6)) : steps.op(DIV, {x, steps.number(6)});
}

/// relu6(x + 3).
int32_t drawRamp(Steps &steps, int32_t x) {
  const int32_t three = steps.number(3);
  if (steps.oneIn(3))
    return steps.clampedSum(x, three, tflite::ActivationFunction::RELU6);
  const int32_t sum = steps.commuted(ADD, x, three);
  if (steps.oneIn(2))
    return steps.op(RELU6, {sum});
  return steps.commuted(MINIMUM, drawRelu(steps, sum), steps.number(6));
}

int32_t drawHardSigmoid(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-6, 6});
  if (steps.oneIn(2))
    return drawSixth(steps, drawRamp(steps, x));
  const int32_t slope = steps.number(static_cast<float>(steps.draft().real(0.1, 0.5)));
  const int32_t sum = steps.commuted(ADD, steps.commuted(MUL, x, slope), steps.number(0.5f));
  return steps.commuted(MINIMUM, drawRelu(steps, sum), steps.number(1));
}

int32_t drawHardSwish(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-6, 6});
  if (steps.oneIn(3))
    return drawSixth(steps, steps.commuted(MUL, x, drawRamp(steps, x)));
  if (steps.oneIn(2))
    return steps.commuted(MUL, x, drawSixth(steps, drawRamp(steps, x)));
  const int32_t sum = steps.commuted(ADD, steps.commuted(MUL, x, steps.number(1.0f / 6)), steps.number(0.5f));
  return steps.commuted(MUL, x, steps.commuted(MINIMUM, drawRelu(steps, sum), steps.number(1)));
}

/// c * x^2 or c * x^3.
int32_t drawGeluPower(Steps &steps, int32_t x, bool isCube) {
  const int32_t factor = steps.number(0.044715f);
  if (steps.oneIn(3))
    return steps.commuted(MUL, factor, steps.op(POW, {x, steps.number(isCube ? 3 : 2)}));
  const int32_t square = steps.oneIn(2) ? steps.op(SQUARE, {x}) : steps.op(MUL, {x, x});
  if (!isCube)
    return steps.commuted(MUL, factor, square);
  return steps.oneIn(2) ? steps.commuted(MUL, factor, steps.commuted(MUL, square, x))
                        : steps.commuted(MUL, steps.commuted(MUL, factor, square), x);
}

int32_t drawGelu(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-6, 6});
  const int32_t root = steps.number(0.7978845608f), one = steps.number(1), half = steps.number(0.5f);
  const int32_t argument =
      steps.oneIn(2)
          ? steps.commuted(MUL, root, steps.commuted(ADD, x, drawGeluPower(steps, x, true)))
          : steps.commuted(MUL, steps.commuted(MUL, root, x), steps.commuted(ADD, one, drawGeluPower(steps, x, false)));
  const int32_t gate = steps.commuted(ADD, one, steps.op(TANH, {argument}));
  if (steps.oneIn(3))
    return steps.commuted(MUL, half, steps.commuted(MUL, x, gate));
  return steps.oneIn(2) ? steps.commuted(MUL, steps.commuted(MUL, half, x), gate)
                        : steps.commuted(MUL, x, steps.commuted(MUL, half, gate));
}

int32_t drawSquare(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  return steps.reduce(steps.oneIn(2) ? SUM : MEAN, steps.op(MUL, {x, x}), {steps.draft().pick(1, 3)});
}

int32_t drawPower(Steps &steps) { return steps.op(POW, {steps.input(drawShape(steps), {-4, 4}), steps.number(2)}); }

int32_t drawRmsNorm(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const int32_t variance = steps.reduce(MEAN, steps.op(POW, {x, steps.number(2)}), {3});
  return steps.commuted(MUL, x, steps.op(RSQRT, {steps.commuted(ADD, variance, steps.number(1e-3f))}));
}

/// d, and exp(d).
std::pair<int32_t, int32_t> drawExponentials(Steps &steps, int64_t &axis) {
  const int32_t x = steps.input(drawShape(steps), {-8, 8});
  axis = steps.draft().pick(1, 3);
  int32_t difference = steps.op(SUB, {x, steps.reduce(REDUCE_MAX, x, {axis})});
  if (steps.oneIn(3))
    difference = steps.commuted(MUL, difference, steps.number(0.7f));
  return {difference, steps.op(EXP, {difference})};
}

int32_t drawSoftmax(Steps &steps) {
  int64_t axis;
  const int32_t exponentials = drawExponentials(steps, axis).second;
  return steps.op(DIV, {exponentials, steps.reduce(SUM, exponentials, {axis})});
}

int32_t drawSoftmaxByReciprocal(Steps &steps) {
  int64_t axis;
  const int32_t exponentials = drawExponentials(steps, axis).second;
  const int32_t sum = steps.reduce(SUM, exponentials, {axis});
  return steps.commuted(MUL, exponentials, steps.make(DIV, {steps.number(1), sum}, steps.shape(sum)));
}

int32_t drawLogSoftmax(Steps &steps) {
  int64_t axis;
  const auto [difference, exponentials] = drawExponentials(steps, axis);
  return steps.op(SUB, {difference, steps.op(LOG, {steps.reduce(SUM, exponentials, {axis})})});
}

int32_t drawScaledSoftmax(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-8, 8});
  const int32_t scaled =
      steps.oneIn(2) ? steps.commuted(MUL, x, steps.number(0.1767767f)) : steps.op(DIV, {x, steps.number(3)});
  const int32_t result = steps.draft().model().addTensor(steps.shape(x), kReal);
  tflite::SoftmaxOptionsT options;
  options.beta = 1;
  steps.draft().op(SOFTMAX, {scaled}, {result}, options);
  return result;
}

/// x - mean, and variance + epsilon.
std::pair<int32_t, int32_t> drawMoments(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const std::vector<int64_t> axes = steps.draft().any<std::vector<int64_t>>({{3}, {2, 3}, {1, 2}, {1, 2, 3}});
  const int32_t mean = steps.reduce(MEAN, x, axes), difference = steps.op(SUB, {x, mean});
  const int32_t square = steps.oneIn(3)   ? steps.commuted(SQUARED_DIFFERENCE, x, mean)
                         : steps.oneIn(2) ? steps.op(SQUARE, {difference})
                                          : steps.op(MUL, {difference, difference});
  return {difference, steps.commuted(ADD, steps.reduce(MEAN, square, axes), steps.number(1e-3f))};
}

int32_t drawLayerNorm(Steps &steps) {
  const auto [difference, variance] = drawMoments(steps);
  return steps.op(DIV, {difference, steps.op(SQRT, {variance})});
}

int32_t drawLayerNormByRoot(Steps &steps) {
  const auto [difference, variance] = drawMoments(steps);
  return steps.commuted(MUL, difference, steps.op(RSQRT, {variance}));
}

/// As Keras writes it.
int32_t drawLayerNormBySum(Steps &steps) {
  const int32_t x = steps.input(drawShape(steps), {-4, 4});
  const std::vector<int64_t> axes = steps.draft().any<std::vector<int64_t>>({{3}, {2, 3}, {1, 2}});
  const Shape channels = {steps.shape(x).back()};
  const int32_t mean = steps.reduce(MEAN, x, axes), squares = steps.commuted(SQUARED_DIFFERENCE, x, mean);
  const int32_t variance = steps.commuted(ADD, steps.reduce(MEAN, squares, axes), steps.number(1e-3f));
  const int32_t root = steps.op(RSQRT, {variance});
  const bool hasGamma = !steps.oneIn(3);
  const int32_t factor = hasGamma ? steps.times(root, steps.constant(channels, {0.5, 2})) : root;
  const int32_t beta = steps.oneIn(3) ? steps.number(0.5f) : steps.constant(channels, {-1, 1});
  return steps.commuted(ADD, steps.commuted(MUL, x, factor), steps.minus(beta, steps.times(mean, factor)));
}

int32_t drawNormalizedLayer(Steps &steps) {
  Draft &draft = steps.draft();
  const int32_t x = steps.input(drawShape(steps), {-4, 4}), depth = steps.shape(x).back();
  const bool isDepthwise = steps.oneIn(2);
  const int32_t channels = isDepthwise ? depth : draft.pick(2, 9);
  Shape shape = steps.shape(x);
  shape.back() = channels;
  const int32_t layer = draft.model().addTensor(shape, kReal);
  std::vector<int32_t> operands = {x, steps.constant({isDepthwise ? 1 : channels, 1, 1, depth}, {-1, 1}),
                                   steps.constant({channels}, {-1, 1})};
  if (isDepthwise) {
    tflite::DepthwiseConv2DOptionsT options;
    options.stride_h = options.stride_w = options.depth_multiplier = 1;
    draft.op(DEPTHWISE_CONV_2D, operands, {layer}, options);
  } else {
    tflite::Conv2DOptionsT options;
    options.stride_h = options.stride_w = 1;
    draft.op(CONV_2D, operands, {layer}, options);
  }
  const int32_t scaled = steps.commuted(MUL, layer, steps.constant({channels}, {0.5, 2}));
  return steps.oneIn(2)
             ? steps.op(SUB, {scaled, steps.constant({channels}, {-1, 1})})
             : steps.clampedSum(scaled, steps.constant({channels}, {-1, 1}), tflite::ActivationFunction::RELU);
}

int32_t drawScaleAndShift(Steps &steps) {
  Draft &draft = steps.draft();
  const int32_t x =
      steps.input({draft.pick(1, 2), 4 * draft.pick(1, 2), draft.pick(3, 4), draft.pick(11, 16)}, {-4, 4});
  const Shape channels = {steps.shape(x).back()};
  const int32_t scaled = steps.commuted(MUL, x, steps.constant(channels, {-2, 2}));
  const int32_t shift = steps.constant(channels, {-1, 1});
  return steps.oneIn(2) ? steps.commuted(ADD, scaled, shift) : steps.op(SUB, {shift, scaled});
}

struct Pattern {
  const char *name;
  const char *remark; ///< its name
  int32_t (*draw)(Steps &steps);
  float bound;                     ///< relative to the larger of 1 and the result; 0: equal
  std::vector<float> special = {}; ///< numbers that keep the bound
};

void PrintTo(const Pattern &pattern, std::ostream *stream) { *stream << pattern.name; }

TestModel modelOf(const Pattern &pattern, uint64_t seed, bool isSpecial) {
  Draft draft(Kind::F32, seed);
  Steps steps(draft, isSpecial ? pattern.special : std::vector<float>());
  const int32_t last = pattern.draw(steps);
  // A reshape makes the result an output, so that the last step has the form of the others.
  const Shape shape = {static_cast<int32_t>(numElements(steps.shape(last)))};
  draft.op(RESHAPE, {last, draft.integers({shape[0]})}, {draft.output(shape, kReal)});
  return draft.model().finish();
}

/// Whether a step made a large number of an infinity.
bool isClamped(float infinite, float number) {
  return std::isinf(infinite) && std::copysign(number, infinite) == number && std::abs(number) > 1e-3f * kLargest;
}

/// The first numbers that are further apart than the bound; empty: none.
std::string difference(const Bytes &found, const Bytes &expected, float bound) {
  const auto a = numbersOf<float>(found), b = numbersOf<float>(expected);
  if (a.size() != b.size())
    return "different sizes";
  for (size_t i = 0; i < a.size(); ++i) {
    const float x = a[i], y = b[i];
    const bool isSame = x == y || (std::isnan(x) && std::isnan(y)) || isClamped(x, y);
    if (!isSame && !(std::abs(x - y) <= bound * std::max(1.0f, std::abs(y))))
      return fmt::format("element {}: {}, without the pass {}", i, x, y);
  }
  return "";
}

bool withoutPass(const compiler::OptionalStep &step) { return step.transform != "nn-recognize-operators"; }

class PatternsTest : public testing::TestWithParam<Pattern> {
protected:
  static constexpr uint64_t kCases = 24;

  /// Runs the model, and says whether a remark names the operator.
  static std::pair<DeviceResult, bool> runRecognized(const TestModel &model, const std::string &target) {
    bool isRecognized = false;
    const auto note = [&](const compiler::Remark &remark) {
      isRecognized |= remark.kind == compiler::RemarkKind::Passed && remark.name == GetParam().remark;
    };
    DeviceResult result = runOnDevice(model, {.target = target, .remark = note});
    return {std::move(result), isRecognized};
  }
};

/// Also of networks that are cut into tiles.
TEST_P(PatternsTest, ResultsAreThoseOfTheSteps) {
  const std::string targets[] = {"e256", tightTarget(), "p4096"};
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const std::string &target = targets[seed % std::size(targets)];
    const TestModel model = modelOf(GetParam(), seed, seed % 2 != 0);
    const auto [one, isRecognized] = runRecognized(model, target);
    const DeviceResult steps = runOnDevice(model, {.target = target, .runsStep = withoutPass});
    ASSERT_TRUE(one.status.isOk()) << one.status.toString() << one.refusal;
    ASSERT_TRUE(steps.status.isOk()) << steps.status.toString() << steps.refusal;
    EXPECT_TRUE(isRecognized) << "seed " << seed;
    EXPECT_EQ(difference(one.outputs[0], steps.outputs[0], GetParam().bound), "") << target << ", seed " << seed;
  }
}

TEST_P(PatternsTest, AgreeWithTensorFlowLite) {
  const Result<std::string> library = findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  Oracle oracle(*library);
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const TestModel model = modelOf(GetParam(), seed, /*isSpecial=*/false);
    const Result<std::vector<Bytes>> expected = oracle.run({model.file, model.inputs, model.shapes});
    ASSERT_TRUE(expected) << expected.status().toString();
    const DeviceResult result = runOnDevice(model);
    ASSERT_TRUE(result.status.isOk()) << result.status.toString() << result.refusal;
    EXPECT_EQ(compare(model.outputs[0], result.outputs[0], expected->front(), {kTolerance, 0}), "") << "seed " << seed;
  }
}

const std::vector<float> kFinite = {0.0f,  -0.0f, 1e-42f, -1e-42f, std::numeric_limits<float>::quiet_NaN(),
                                    1e30f, -1e30f};
const std::vector<float> kAll = {0.0f,  -0.0f,  1e-42f, -1e-42f, std::numeric_limits<float>::quiet_NaN(),
                                 1e38f, -1e38f, kInf,   -kInf};
const std::vector<float> kSmall = {0.0f, -0.0f, 1e-42f, -1e-42f, std::numeric_limits<float>::quiet_NaN()};

// Of the magnitudes of x * k and mean * k, which are large where the variance is small.
constexpr float kSumBound = 0x1p-22f * 256;
// For the layers: at most 9 products of at most 4, scaled by at most 2.
constexpr float kLayerBound = 12 * 0x1p-23f * 9 * 4 * 2;

std::string patternName(const testing::TestParamInfo<Pattern> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Rectifiers, PatternsTest,
                         testing::Values(Pattern{"Clip", "clamp", drawClip, 0, kAll},
                                         Pattern{"Prelu", "prelu", drawPrelu, 0, kAll},
                                         Pattern{"AbsolutePrelu", "prelu", drawAbsolutePrelu, 0x1p-148f, kFinite},
                                         Pattern{"LinearPrelu", "prelu", drawLinearPrelu, 0x1p-21f, kSmall},
                                         Pattern{"LeakyRelu", "prelu", drawLeakyRelu, 0, kAll},
                                         Pattern{"SelectedPrelu", "prelu", drawSelectedPrelu, 0, kAll}),
                         patternName);
INSTANTIATE_TEST_SUITE_P(Gates, PatternsTest,
                         testing::Values(Pattern{"Logistic", "logistic", drawLogistic, 0x1p-126f, kAll},
                                         Pattern{"Swish", "swish", drawSwish, 0x1p-22f, kFinite},
                                         Pattern{"SwishOfLogistic", "swish", drawSwishOfLogistic, 0x1p-22f, kFinite},
                                         Pattern{"HardSigmoid", "hard_sigmoid", drawHardSigmoid, 0x1p-22f, kFinite},
                                         Pattern{"HardSwish", "hard_swish", drawHardSwish, 0x1p-21f, kFinite},
                                         Pattern{"Gelu", "gelu", drawGelu, 0x1p-20f, kSmall}),
                         patternName);
INSTANTIATE_TEST_SUITE_P(Powers, PatternsTest,
                         testing::Values(Pattern{"Square", "square", drawSquare, 0, kAll},
                                         Pattern{"Power", "square", drawPower, 0x1p-23f, kAll},
                                         Pattern{"RmsNorm", "rms_norm", drawRmsNorm, 0x1p-22f, kSmall}),
                         patternName);
INSTANTIATE_TEST_SUITE_P(Softmax, PatternsTest,
                         testing::Values(Pattern{"Softmax", "softmax", drawSoftmax, 0, kAll},
                                         Pattern{"SoftmaxByReciprocal", "softmax", drawSoftmaxByReciprocal, 0x1p-22f,
                                                 kAll},
                                         Pattern{"LogSoftmax", "log_softmax", drawLogSoftmax, 0, kSmall},
                                         Pattern{"ScaledSoftmax", "softmax", drawScaledSoftmax, 0x1p-22f * 8, kSmall}),
                         patternName);
INSTANTIATE_TEST_SUITE_P(
    Normalizations, PatternsTest,
    testing::Values(Pattern{"LayerNorm", "layer_norm", drawLayerNorm, 0, kSmall},
                    Pattern{"LayerNormByRoot", "layer_norm", drawLayerNormByRoot, 0x1p-22f, kSmall},
                    Pattern{"LayerNormBySum", "layer_norm", drawLayerNormBySum, kSumBound, kSmall},
                    Pattern{"NormalizedLayer", "batch_norm", drawNormalizedLayer, kLayerBound, kSmall},
                    Pattern{"ScaleAndShift", "batch_norm", drawScaleAndShift, 0, kFinite}),
    patternName);

} // namespace
} // namespace avocet::differential
