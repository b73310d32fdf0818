//===- PoolTest.cpp - Pools against their definition ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

Clamp wholeRange(DataType type) {
  if (isFloat(type))
    return floatActivationClamp(Activation::kNone);
  return {minValue(type), maxValue(type)};
}

PoolCommand makePool(PoolKind kind, DataType type, TestSram &sram, Random &random) {
  auto extent = [&](int32_t most) { return static_cast<uint32_t>(pick(random, 1, most)); };
  PoolCommand c;
  c.kind = kind;
  Window &w = c.window;
  w.kernelHeight = extent(5);
  w.kernelWidth = extent(5);
  w.strideHeight = extent(3);
  w.strideWidth = extent(3);
  w.padTop = static_cast<uint32_t>(pick(random, 0, static_cast<int32_t>(w.kernelHeight) - 1));
  w.padLeft = static_cast<uint32_t>(pick(random, 0, static_cast<int32_t>(w.kernelWidth) - 1));
  uint32_t channels = extent(20);
  c.input = sram.map(type, extent(9), extent(9), channels, Placement::Scattered, random);
  auto outputs = [](uint32_t input, uint32_t pad, uint32_t stride) { return (input + pad - 1) / stride + 1; };
  c.output = sram.map(type, outputs(c.input.height, w.padTop, w.strideHeight),
                      outputs(c.input.width, w.padLeft, w.strideWidth), channels, Placement::Scattered, random);
  c.clamp = wholeRange(type);
  sram.fill(c.input, random);
  return c;
}

/// The values of one window that lie on the input.
std::vector<double> windowValues(const PoolCommand &c, TestSram &sram, uint32_t y, uint32_t x, uint32_t channel) {
  std::vector<double> values;
  for (uint32_t ky = 0; ky < c.window.kernelHeight; ++ky)
    for (uint32_t kx = 0; kx < c.window.kernelWidth; ++kx) {
      int64_t iy = int64_t(y) * c.window.strideHeight + ky - c.window.padTop;
      int64_t ix = int64_t(x) * c.window.strideWidth + kx - c.window.padLeft;
      if (iy >= 0 && ix >= 0 && iy < c.input.height && ix < c.input.width)
        values.push_back(sram.get(c.input, static_cast<uint32_t>(iy), static_cast<uint32_t>(ix), channel));
    }
  return values;
}

double poolByDefinition(PoolKind kind, DataType type, const std::vector<double> &values) {
  if (kind == PoolKind::Max)
    return *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double value : values)
    sum += value;
  double mean = sum / static_cast<double>(values.size());
  // std::round rounds halves away from zero.
  return isFloat(type) ? mean : std::round(mean);
}

class PoolTest : public testing::TestWithParam<std::tuple<PoolKind, DataType>> {};

TEST_P(PoolTest, EqualsTheDefinition) {
  auto [kind, type] = GetParam();
  auto target = testTarget();
  double tolerance = type == DataType::Float32 ? 1e-6 : type == DataType::Float16 ? 1e-3 : 0;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    TestSram sram;
    PoolCommand c = makePool(kind, type, sram, random);
    checkAndRun(*target, c, sram);
    for (uint32_t y = 0; y < c.output.height; ++y)
      for (uint32_t x = 0; x < c.output.width; ++x)
        for (uint32_t channel = 0; channel < c.output.channels; ++channel)
          ASSERT_NEAR(sram.get(c.output, y, x, channel),
                      poolByDefinition(kind, type, windowValues(c, sram, y, x, channel)), tolerance)
              << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PoolTest,
                         testing::Combine(testing::Values(PoolKind::Max, PoolKind::Average),
                                          testing::Values(DataType::Int8, DataType::UInt8, DataType::Int16,
                                                          DataType::Float32, DataType::Float16)));

TEST(PoolByHandTest, AveragesRoundHalfAwayFromZeroAndClamp) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  PoolCommand c;
  c.kind = PoolKind::Average;
  c.window.kernelWidth = 2;
  c.input = sram.map(DataType::Int8, 1, 2, 3, Placement::Dense, random);
  c.output = sram.map(DataType::Int8, 1, 1, 3, Placement::Dense, random);
  c.clamp = {-100, 100};
  sram.setValues(c.input, {1, -1, 127, 2, -2, 127}); // means 1.5, -1.5, 127
  checkAndRun(*target, c, sram);
  EXPECT_EQ(sram.values(c.output), (std::vector<double>{2, -2, 100}));
}

} // namespace
} // namespace avocet::kernels
