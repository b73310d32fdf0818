//===- SpecialNumbersTest.cpp - Infinities and NaN ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operators do with infinities and NaN, on every target. Maxima, minima and clamps of NaN are NaN, which is their
// definition; TensorFlow Lite's kernels differ among themselves. Fused activations, NONE among them, make infinities
// finite, as in all of its kernels.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Draft.h"
#include "Targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace avocet::differential {
namespace {

using Floats = std::vector<float>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();

const Element kReal{TensorType::FLOAT32};

Bytes bytesOf(const Floats &values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Floats floatsOf(const Bytes &bytes) {
  Floats values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

int32_t inputOf(Model &model, const Floats &values, Shape shape = {}) {
  if (shape.empty())
    shape = {static_cast<int32_t>(values.size())};
  return model.addInput(shape, kReal, bytesOf(values));
}

int32_t integers(Model &model, const Shape &shape, const std::vector<double> &values) {
  return model.addConstant(shape, {TensorType::INT32}, encode(values, TensorType::INT32));
}

bool isSame(float a, float b) { return std::isnan(a) ? std::isnan(b) : a == b; }

/// The model's first output on every target.
void expectOutput(const Model &model, const Floats &expected) {
  const TestModel finished = model.finish();
  for (const char *target : kTargets) {
    const DeviceResult result = runOnDevice(finished, {.target = target});
    ASSERT_TRUE(result.status.isOk()) << target << ": " << result.refusal << result.status.toString();
    const Floats found = floatsOf(result.outputs[0]);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(isSame(found[i], expected[i]))
          << target << ", element " << i << ": " << found[i] << ", expected " << expected[i];
  }
}

const Floats kSpecial = {kInf, -kInf, kNan, 1, -1};

void expectUnary(BuiltinOperator code, const Floats &expected) {
  Model model;
  const int32_t input = inputOf(model, kSpecial);
  model.addOperator(code, {input}, {model.addOutput({5}, kReal)});
  SCOPED_TRACE(EnumNameBuiltinOperator(code));
  expectOutput(model, expected);
}

TEST(SpecialNumbersTest, ActivationsKeepInfinitiesAndNan) {
  expectUnary(BuiltinOperator::RELU, {kInf, 0, kNan, 1, 0});
  expectUnary(BuiltinOperator::RELU6, {6, 0, kNan, 1, 0});
  expectUnary(BuiltinOperator::RELU_N1_TO_1, {1, -1, kNan, 1, -1});
  expectUnary(BuiltinOperator::RELU_0_TO_1, {1, 0, kNan, 1, 0});
  expectUnary(BuiltinOperator::ABS, {kInf, kInf, kNan, 1, 1});
  expectUnary(BuiltinOperator::TANH, {1, -1, kNan, std::tanh(1.0f), -std::tanh(1.0f)});
  expectUnary(BuiltinOperator::FLOOR, {kInf, -kInf, kNan, 1, -1});
}

void expectBinary(BuiltinOperator code, const Floats &a, const Floats &b, const Floats &expected) {
  Model model;
  const int32_t first = inputOf(model, a), second = inputOf(model, b);
  model.addOperator(code, {first, second}, {model.addOutput({static_cast<int32_t>(a.size())}, kReal)});
  SCOPED_TRACE(EnumNameBuiltinOperator(code));
  expectOutput(model, expected);
}

TEST(SpecialNumbersTest, MaximumAndMinimumWithNanAreNan) {
  const Floats a = {kNan, 1, kNan, kInf, -kInf, 2, -kInf}, b = {1, kNan, kNan, 1, 1, 3, -kInf};
  expectBinary(BuiltinOperator::MAXIMUM, a, b, {kNan, kNan, kNan, kInf, 1, 3, -kInf});
  expectBinary(BuiltinOperator::MINIMUM, a, b, {kNan, kNan, kNan, 1, -kInf, 2, -kInf});
}

TEST(SpecialNumbersTest, FusedActivationsMakeInfinitiesFinite) {
  const Floats a = {kInf, -kInf, kNan, 3, kInf}, b = {1, 1, 1, 1, -kInf};
  expectBinary(BuiltinOperator::ADD, a, b, {kMax, -kMax, kNan, 4, kNan});
  expectBinary(BuiltinOperator::SUB, a, b, {kMax, -kMax, kNan, 2, kMax});
  expectBinary(BuiltinOperator::MUL, a, b, {kMax, -kMax, kNan, 3, -kMax});
}

/// Pairs of neighbors: with one NaN, two, infinities.
const Floats kPairs = {1, kNan, kNan, 1, kNan, kNan, kInf, 1, -kInf, -2, kInf, -kInf};

TEST(SpecialNumbersTest, ReductionsWithNanAreNan) {
  for (const auto &[code, expected] :
       {std::pair<BuiltinOperator, Floats>{BuiltinOperator::REDUCE_MAX, {kNan, kNan, kNan, kInf, -2, kInf}},
        {BuiltinOperator::REDUCE_MIN, {kNan, kNan, kNan, 1, -kInf, -kInf}},
        {BuiltinOperator::SUM, {kNan, kNan, kNan, kInf, -kInf, kNan}}}) {
    Model model;
    const int32_t input = inputOf(model, kPairs, {6, 2}), axis = integers(model, {1}, {1});
    model.addOperator(code, {input, axis}, {model.addOutput({6}, kReal)}).options.Set(tflite::ReducerOptionsT());
    SCOPED_TRACE(EnumNameBuiltinOperator(code));
    expectOutput(model, expected);
  }
}

/// On the array, and with several images on the DSP. The activation bounds the results.
TEST(SpecialNumbersTest, PoolsWithNanAreNan) {
  tflite::Pool2DOptionsT options;
  options.stride_h = options.filter_height = 1;
  options.stride_w = options.filter_width = 2;
  options.padding = tflite::Padding::VALID;
  for (int32_t batch : {1, 2})
    for (const auto &[code, expected] :
         {std::pair<BuiltinOperator, Floats>{BuiltinOperator::MAX_POOL_2D, {kNan, kNan, kNan, kMax, -2, kMax}},
          {BuiltinOperator::AVERAGE_POOL_2D, {kNan, kNan, kNan, kMax, -kMax, kNan}}}) {
      Model model;
      const int32_t input = inputOf(model, kPairs, {batch, 1, 12 / batch, 1});
      model.addOperator(code, {input}, {model.addOutput({batch, 1, 6 / batch, 1}, kReal)}).options.Set(options);
      SCOPED_TRACE(EnumNameBuiltinOperator(code));
      expectOutput(model, expected);
    }
}

/// Nothing is computed with elements that only move.
TEST(SpecialNumbersTest, PaddingKeepsNeighborsOfInfinities) {
  Model model;
  const int32_t input = inputOf(model, {kInf, kNan, -kInf, 5}, {1, 2, 2, 1});
  const int32_t padding = integers(model, {4, 2}, {0, 0, 1, 0, 0, 1, 0, 0});
  model.addOperator(BuiltinOperator::PAD, {input, padding}, {model.addOutput({1, 3, 3, 1}, kReal)});
  expectOutput(model, {0, 0, 0, kInf, kNan, 0, -kInf, 5, 0});
}

TEST(SpecialNumbersTest, ConcatenationCopiesInfinitiesAndNan) {
  Model model;
  const int32_t input = inputOf(model, kSpecial, {1, 5});
  tflite::ConcatenationOptionsT options;
  options.axis = 1;
  model.addOperator(BuiltinOperator::CONCATENATION, {input, input}, {model.addOutput({1, 10}, kReal)})
      .options.Set(options);
  Floats twice = kSpecial;
  twice.insert(twice.end(), kSpecial.begin(), kSpecial.end());
  expectOutput(model, twice);
}

TEST(SpecialNumbersTest, MatrixProductsKeepInfinities) {
  Model model;
  const int32_t a = inputOf(model, kSpecial, {5, 1}), b = inputOf(model, {1}, {1, 1});
  model.addOperator(BuiltinOperator::BATCH_MATMUL, {a, b}, {model.addOutput({5, 1}, kReal)})
      .options.Set(tflite::BatchMatMulOptionsT());
  expectOutput(model, kSpecial);
}

} // namespace
} // namespace avocet::differential
