//===- SpectraTest.cpp - Transforms of images -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RFFT2D against its definition in double precision: every length, cut off images, images that continue with zeros.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "Draft.h"
#include "Model.h"
#include "Targets.h"

#include <gtest/gtest.h>

#include <complex>
#include <fmt/format.h>
#include <numbers>

namespace avocet::differential {
namespace {

using Complex = std::complex<double>;

struct Transform {
  int32_t images, rows, columns; ///< of the input
  int32_t height, width;         ///< of the transform
};

std::vector<double> pixels(const Transform &t) {
  std::vector<double> result;
  uint32_t noise = 1;
  for (int32_t i = 0; i < t.images * t.rows * t.columns; ++i) {
    noise = noise * 1664525u + 1013904223u;
    result.push_back(static_cast<int32_t>(noise >> 16) / 32768.0 - 1);
  }
  return result;
}

TestModel modelOf(const Transform &t) {
  const Element real{TensorType::FLOAT32};
  const Shape result = {t.images, t.height, t.width / 2 + 1};
  Model model;
  const int32_t input = model.addInput({t.images, t.rows, t.columns}, real, encode(pixels(t), TensorType::FLOAT32));
  const int32_t lengths =
      model.addConstant({2}, {TensorType::INT32}, encode({1.0 * t.height, 1.0 * t.width}, TensorType::INT32));
  const int32_t spectrum = model.addTensor(result, {TensorType::COMPLEX64});
  model.addOperator(BuiltinOperator::RFFT2D, {input, lengths}, {spectrum});
  model.addOperator(BuiltinOperator::REAL, {spectrum}, {model.addOutput(result, real)});
  model.addOperator(BuiltinOperator::IMAG, {spectrum}, {model.addOutput(result, real)});
  return model.finish();
}

/// exp(-2 pi i k / n)
Complex root(int64_t k, int32_t n) { return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k % n) / n); }

/// The definition, along the rows and then along the columns.
std::vector<Complex> definition(const Transform &t) {
  const std::vector<double> from = pixels(t);
  const int32_t half = t.width / 2 + 1, rows = std::min(t.rows, t.height), columns = std::min(t.columns, t.width);
  std::vector<Complex> result;
  for (int32_t image = 0; image < t.images; ++image) {
    std::vector<Complex> lines(static_cast<size_t>(rows) * half);
    for (int32_t y = 0; y < rows; ++y)
      for (int32_t k = 0; k < half; ++k)
        for (int32_t x = 0; x < columns; ++x)
          lines[y * half + k] += from[(image * t.rows + y) * t.columns + x] * root(int64_t(k) * x, t.width);
    for (int32_t l = 0; l < t.height; ++l)
      for (int32_t k = 0; k < half; ++k) {
        Complex sum = 0;
        for (int32_t y = 0; y < rows; ++y)
          sum += lines[y * half + k] * root(int64_t(l) * y, t.height);
        result.push_back(sum);
      }
  }
  return result;
}

void expectDefinition(const Transform &t, const char *target) {
  SCOPED_TRACE(fmt::format("{} x {} x {} to {} x {} on {}", t.images, t.rows, t.columns, t.height, t.width, target));
  std::vector<double> real, imaginary;
  for (const Complex &number : definition(t)) {
    real.push_back(number.real());
    imaginary.push_back(number.imag());
  }
  const DeviceResult result = runOnDevice(modelOf(t), {.target = target});
  ASSERT_TRUE(result.status.isOk()) << result.status.toString() << result.refusal;
  const auto differences = [](const Bytes &found, const std::vector<double> &expected) {
    return compare(TensorType::FLOAT32, found, encode(expected, TensorType::FLOAT32), {.real = 1e-6f});
  };
  EXPECT_EQ(differences(result.outputs[0], real), "");
  EXPECT_EQ(differences(result.outputs[1], imaginary), "");
}

TEST(SpectraTest, LinesOfEveryLength) {
  for (int32_t points = 1; points <= 2048; points *= 2)
    expectDefinition({3, 1, points, 1, points}, "e256");
}

TEST(SpectraTest, ImagesAreCutOffOrContinueWithZeros) {
  for (const char *target : kTargets)
    for (const Transform &t : {Transform{2, 4, 8, 4, 8}, Transform{1, 3, 7, 4, 8}, Transform{2, 6, 20, 4, 16},
                               Transform{1, 5, 3, 16, 2}, Transform{1, 2, 400, 1, 512}, Transform{2, 4, 5, 8, 1}})
      expectDefinition(t, target);
}

TEST(SpectraTest, ManyLinesExceedTheMemory) { expectDefinition({500, 1, 256, 1, 256}, "e256s"); }

} // namespace
} // namespace avocet::differential
