//===- WindowPoolTest.cpp - windowPool against its definition -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definitions are sums over all pairs of input and kernel positions that contribute to an output. They share
// nothing with the kernels, which start from the output.
//
//===----------------------------------------------------------------------===//

#include "WindowTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Window.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace avocet::kernels {
namespace {

using namespace firmware;

struct PoolCase {
  DspCommand command;
  WindowPoolParameters parameters;
  uint32_t inputHeight, outputHeight;
};

PoolCase makePool(WindowPoolKind kind, DataType type, TestSram &sram, Random &random) {
  PoolCase c;
  WindowPoolParameters &p = c.parameters;
  p.kind = kind;
  p.batch = upTo(random, 3);
  Window &w = p.window;
  w.kernelHeight = upTo(random, 4);
  w.kernelWidth = upTo(random, 4);
  w.strideHeight = upTo(random, 3);
  w.strideWidth = upTo(random, 3);
  w.padTop = upTo(random, static_cast<int32_t>(w.kernelHeight)) - 1;
  w.padLeft = upTo(random, static_cast<int32_t>(w.kernelWidth)) - 1;
  p.clamp = wholeRange(type);
  c.inputHeight = upTo(random, 6);
  uint32_t width = upTo(random, 6), channels = upTo(random, 5);
  auto outputs = [](uint32_t input, uint32_t pad, uint32_t stride) { return (input + pad - 1) / stride + 1; };
  c.outputHeight = outputs(c.inputHeight, w.padTop, w.strideHeight);
  c.command.kernel = *dspKernelNumber("windowPool");
  c.command.inputs = {dense(type, p.batch * c.inputHeight, width, channels, sram, random)};
  c.command.outputs = {
      dense(type, p.batch * c.outputHeight, outputs(width, w.padLeft, w.strideWidth), channels, sram, random)};
  c.command.parameters = packParameters(p);
  return c;
}

/// The values of one window that lie on the image of the output row.
std::vector<double> windowValues(const PoolCase &c, TestSram &sram, uint32_t row, uint32_t x, uint32_t channel) {
  const Window &w = c.parameters.window;
  const FeatureMap &in = c.command.inputs[0];
  std::vector<double> values;
  for (uint32_t iy = 0; iy < c.inputHeight; ++iy)
    for (uint32_t ix = 0; ix < in.width; ++ix) {
      int64_t ky = int64_t(iy) + w.padTop - int64_t(row % c.outputHeight) * w.strideHeight;
      int64_t kx = int64_t(ix) + w.padLeft - int64_t(x) * w.strideWidth;
      if (ky >= 0 && kx >= 0 && ky < w.kernelHeight && kx < w.kernelWidth)
        values.push_back(sram.get(in, row / c.outputHeight * c.inputHeight + iy, ix, channel));
    }
  return values;
}

double poolByDefinition(WindowPoolKind kind, DataType type, const std::vector<double> &values) {
  if (kind == WindowPoolKind::Max)
    return *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double value : values)
    sum += kind == WindowPoolKind::L2 ? value * value : value;
  double mean = sum / static_cast<double>(values.size());
  if (kind == WindowPoolKind::L2)
    return std::sqrt(mean);
  double center = kind == WindowPoolKind::AverageCentered && type == DataType::UInt8 ? 128 : 0;
  // std::round rounds halves away from zero.
  return isFloat(type) ? mean : std::round(mean - center) + center;
}

class WindowPoolTest : public testing::TestWithParam<std::tuple<WindowPoolKind, DataType>> {};

TEST_P(WindowPoolTest, EqualsTheDefinition) {
  auto [kind, type] = GetParam();
  auto target = testTarget();
  double tolerance = type == DataType::Float32 ? 1e-5 : type == DataType::Float16 ? 2e-3 : 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    TestSram sram(1 << 17);
    PoolCase c = makePool(kind, type, sram, random);
    checkAndRun(*target, c.command, sram);
    const FeatureMap &out = c.command.outputs[0];
    for (uint32_t y = 0; y < out.height; ++y)
      for (uint32_t x = 0; x < out.width; ++x)
        for (uint32_t channel = 0; channel < out.channels; ++channel)
          ASSERT_NEAR(sram.get(out, y, x, channel), poolByDefinition(kind, type, windowValues(c, sram, y, x, channel)),
                      tolerance)
              << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WindowPoolTest,
    testing::Combine(testing::Values(WindowPoolKind::Max, WindowPoolKind::Average, WindowPoolKind::AverageCentered),
                     testing::Values(DataType::Int8, DataType::UInt8, DataType::Float16, DataType::Float32)));
INSTANTIATE_TEST_SUITE_P(Roots, WindowPoolTest,
                         testing::Combine(testing::Values(WindowPoolKind::L2),
                                          testing::Values(DataType::Float16, DataType::Float32)));

/// A pool over one image, and the same in sections of the windows' rows.
class PoolSections {
public:
  PoolSections(WindowPoolKind kind, DataType type, TestSram &sram, Random &random) {
    whole_.kind = kind;
    whole_.window.kernelHeight = 9;
    whole_.window.kernelWidth = 4;
    whole_.window.strideHeight = whole_.window.strideWidth = 2;
    whole_.window.padLeft = 1;
    whole_.clamp = wholeRange(type);
    input = dense(type, 13, 7, 5, sram, random);
    output = dense(type, 3, 4, 5, sram, random);
    const DataType sums = type == DataType::Int16 ? DataType::Int64 : DataType::Int32;
    state_ = sram.map(sums, 3, 4, 5, Placement::Dense, random);
  }

  DspCommand whole() const { return {kWindowPoolKernel.number, {input}, {output}, packParameters(whole_)}; }

  DspCommand ofRows(uint32_t begin, uint32_t end) const {
    WindowPoolParameters part = whole_;
    part.window.kernelHeight = end - begin;
    const Section section{begin == 0, end == whole_.window.kernelHeight, begin, whole_.window.kernelHeight};
    DspCommand command{kWindowPoolKernel.number, {input}, {section.isLast ? output : state_}, packParameters(part)};
    command.inputs[0].address += begin * input.rowStride;
    command.inputs[0].height = command.inputs[0].ringRows = 4 + end - begin; // two steps of 2 rows, and the window
    for (uint32_t word : packParameters(section))
      command.parameters.push_back(word);
    if (!section.isFirst)
      command.inputs.push_back(state_);
    return command;
  }

  FeatureMap input, output;

private:
  FeatureMap state_;
  WindowPoolParameters whole_;
};

/// The parts of a command one by one, each in its own parts.
void runParts(const CommandBody &command, TestSram &sram) {
  const Kernel *kernel = findKernel(command);
  const uint32_t parts = kernel->parts(command);
  if (parts == 1)
    return checkAndRun(*testTarget(), std::get<DspCommand>(command), sram);
  for (uint32_t first = 0; first < parts; ++first)
    runParts(kernel->part(command, first, 1), sram);
}

TEST_P(WindowPoolTest, PartsOfSectionsEqualTheWhole) {
  auto [kind, type] = GetParam();
  Random random(3);
  TestSram sram(1 << 17);
  const PoolSections pool(kind, type, sram, random);
  checkAndRun(*testTarget(), pool.whole(), sram);
  const std::vector<double> expected = sram.values(pool.output);
  sram.fill(pool.output, random);
  for (uint32_t begin = 0; begin < 9; begin += 3)
    runParts(pool.ofRows(begin, begin + 3), sram);
  EXPECT_EQ(sram.values(pool.output), expected);
}

TEST_P(WindowPoolTest, SectionsEqualTheWhole) {
  auto [kind, type] = GetParam();
  for (uint32_t size : {1u, 4u, 9u}) {
    Random random(size);
    TestSram sram(1 << 17);
    const PoolSections pool(kind, type, sram, random);
    checkAndRun(*testTarget(), pool.whole(), sram);
    const std::vector<double> expected = sram.values(pool.output);
    sram.fill(pool.output, random);
    for (uint32_t begin = 0; begin < 9; begin += size)
      checkAndRun(*testTarget(), pool.ofRows(begin, std::min(begin + size, 9u)), sram);
    EXPECT_EQ(sram.values(pool.output), expected) << size;
  }
}

TEST(WindowPoolSectionRules, AreChecked) {
  Random random(2);
  TestSram sram(1 << 17);
  const PoolSections pool(WindowPoolKind::Average, DataType::Int8, sram, random);
  const auto isLegal = [](const DspCommand &c) { return findKernel(c)->check(*testTarget(), c).isOk(); };
  const DspCommand right = pool.ofRows(2, 5);
  ASSERT_TRUE(isLegal(right));
  DspCommand withoutState = right, fewRows = right, wrongState = right, padded = right;
  withoutState.inputs.pop_back();
  EXPECT_FALSE(isLegal(withoutState));
  fewRows.inputs[0].height -= 1; // the last window ends below the image
  EXPECT_FALSE(isLegal(fewRows));
  wrongState.inputs[1].type = wrongState.outputs[0].type = DataType::Int8;
  EXPECT_FALSE(isLegal(wrongState));
  auto parameters = *unpackParameters<WindowPoolParameters>(
      std::span(padded.parameters).first(parameterCount<WindowPoolParameters>()));
  parameters.window.padTop = 1;
  std::ranges::copy(packParameters(parameters), padded.parameters.begin());
  EXPECT_FALSE(isLegal(padded));
}

TEST(WindowPoolByHandTest, HalvesRoundAwayFromTheMiddle) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  DspCommand c;
  c.kernel = *dspKernelNumber("windowPool");
  WindowPoolParameters p;
  p.kind = WindowPoolKind::AverageCentered;
  p.window.kernelWidth = 2;
  p.clamp = {0, 200};
  c.parameters = packParameters(p);
  c.inputs = {sram.map(DataType::UInt8, 1, 2, 3, Placement::Dense, random)};
  c.outputs = {sram.map(DataType::UInt8, 1, 1, 3, Placement::Dense, random)};
  sram.setValues(c.inputs[0], {10, 130, 255, 11, 131, 255}); // means 10.5, 130.5, 255
  checkAndRun(*target, c, sram);
  EXPECT_EQ(sram.values(c.outputs[0]), (std::vector<double>{10, 131, 200}));
}

struct BrokenPool {
  const char *name;
  std::function<void(PoolCase &)> breakRule;
};

void PrintTo(const BrokenPool &broken, std::ostream *out) { *out << broken.name; }

const BrokenPool kBrokenPools[] = {
    {"rootsOfIntegers", [](PoolCase &c) { c.parameters.kind = WindowPoolKind::L2; }},
    {"kind", [](PoolCase &c) { c.parameters.kind = static_cast<WindowPoolKind>(4); }},
    {"noBatch", [](PoolCase &c) { c.parameters.batch = 0; }},
    {"hugeBatch", [](PoolCase &c) { c.parameters.batch = 0xFFFFFFFF; }},
    {"noStride", [](PoolCase &c) { c.parameters.window.strideWidth = 0; }},
    {"noKernel", [](PoolCase &c) { c.parameters.window.kernelHeight = 0; }},
    {"dilation", [](PoolCase &c) { c.parameters.window.dilationHeight = 2; }},
    {"windowInPadding", [](PoolCase &c) { c.parameters.window.padTop = c.parameters.window.kernelHeight; }},
    {"windowAfterInput", [](PoolCase &c) { c.parameters.window.strideHeight = 1000; }},
    {"channels", [](PoolCase &c) { ++c.command.outputs[0].channels; }},
    {"type", [](PoolCase &c) { c.command.outputs[0].type = DataType::UInt8; }},
    {"pixelsOverlap", [](PoolCase &c) { c.command.outputs[0].pixelStride -= 1; }},
    {"emptyClamp", [](PoolCase &c) { c.parameters.clamp = {200, 300}; }},
};

class BrokenWindowPoolTest : public testing::TestWithParam<BrokenPool> {};

TEST_P(BrokenWindowPoolTest, IsRefused) {
  auto target = testTarget();
  Random random(5);
  TestSram sram;
  PoolCase c;
  c.command.kernel = *dspKernelNumber("windowPool");
  c.parameters.batch = 2;
  c.parameters.window.kernelHeight = c.parameters.window.kernelWidth = 2;
  c.command.inputs = {dense(DataType::Int8, 6, 3, 4, sram, random)};
  c.command.outputs = {dense(DataType::Int8, 4, 2, 4, sram, random)};
  c.command.parameters = packParameters(c.parameters);
  const Kernel *kernel = findKernel(c.command);
  ASSERT_TRUE(kernel->check(*target, c.command).isOk()) << kernel->check(*target, c.command).toString();
  GetParam().breakRule(c);
  c.command.parameters = packParameters(c.parameters);
  EXPECT_FALSE(kernel->check(*target, c.command).isOk());
}

INSTANTIATE_TEST_SUITE_P(All, BrokenWindowPoolTest, testing::ValuesIn(kBrokenPools),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::kernels
