//===- ResizeTest.cpp - Images of another size ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Resize.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

class ResizeTest : public testing::Test {
protected:
  FeatureMap dense(DataType type, size_t count) {
    return sram_.map(type, 1, 1, static_cast<uint32_t>(count), Placement::Dense, random_);
  }

  DspCommand command(const ResizeParameters &p, DataType type) {
    DspCommand command;
    command.kernel = *dspKernelNumber("resize");
    command.parameters = packParameters(p);
    command.inputs = {dense(type, size_t(p.batches) * p.inputHeight * p.inputWidth * p.channels)};
    command.outputs = {dense(type, size_t(p.batches) * p.outputHeight * p.outputWidth * p.channels)};
    return command;
  }

  std::vector<double> run(const ResizeParameters &p, DataType type, const std::vector<double> &input) {
    DspCommand resize = command(p, type);
    sram_.setValues(resize.inputs[0], input);
    checkAndRun(*testTarget(), resize, sram_);
    return sram_.values(resize.outputs[0]);
  }

  ResizeParameters randomParameters(ResizeKind kind) {
    auto extent = [&] { return static_cast<uint32_t>(pick(random_, 1, 7)); };
    ResizeParameters p{kind, 0, 0, extent() % 3 + 1, extent(), extent(), extent(), extent(), extent()};
    int grid = pick(random_, 0, 2);
    p.alignCorners = grid == 1;
    p.halfPixelCenters = grid == 2;
    return p;
  }

  Random random_{3};
  TestSram sram_;
};

TEST_F(ResizeTest, BilinearMatchesManualCalculation) {
  ResizeParameters p{ResizeKind::Bilinear, 0, 0, 1, 2, 2, 3, 3, 1};
  // Scale 2/3: positions 0, 2/3, 4/3 (clamped to the last pixel's neighbors).
  std::vector<double> result = run(p, DataType::Float32, {1, 1, 2, 2});
  EXPECT_NEAR(result[0], 1, 1e-6);
  EXPECT_NEAR(result[3], 1 + 2.0 / 3, 1e-6);
  EXPECT_NEAR(result[6], 2, 1e-6);
  p.alignCorners = 1;
  EXPECT_NEAR(run(p, DataType::Float32, {1, 1, 2, 2})[3], 1.5, 1e-6);
  EXPECT_EQ(run(p, DataType::UInt8, {1, 1, 2, 2})[3], 2); // halves round up
}

TEST_F(ResizeTest, FixedBilinearMatchesManualCalculation) {
  ResizeParameters p{ResizeKind::FixedBilinear, 1, 0, 1, 2, 1, 3, 1, 1};
  // Halves round away from zero.
  EXPECT_EQ(run(p, DataType::Int8, {-3, -2}), (std::vector<double>{-3, -3, -2}));
  EXPECT_EQ(run(p, DataType::Int16, {30000, 30001}), (std::vector<double>{30000, 30001, 30001}));
  // Scale 5/7 is 731/1024: position 7 reads at 4 + 1021/1024, where floats read at 5.
  p = {ResizeKind::FixedBilinear, 1, 0, 1, 6, 1, 8, 1, 1};
  EXPECT_EQ(run(p, DataType::Int16, {0, 0, 0, 0, 0, 10240})[7], 10210);
  // With half pixel centers, positions outside of the image take the value of the nearest pixel.
  p = {ResizeKind::FixedBilinear, 0, 1, 1, 2, 1, 4, 1, 1};
  EXPECT_EQ(run(p, DataType::Int8, {-100, 100}), (std::vector<double>{-100, -50, 50, 100}));
}

TEST_F(ResizeTest, NearestMatchesManualCalculation) {
  ResizeParameters p{ResizeKind::Nearest, 0, 0, 1, 1, 4, 1, 3, 1};
  EXPECT_EQ(run(p, DataType::Int8, {1, 2, 3, 4}), (std::vector<double>{1, 2, 3})); // 0, 1.33, 2.67
  p.halfPixelCenters = 1;
  EXPECT_EQ(run(p, DataType::Int8, {1, 2, 3, 4}), (std::vector<double>{1, 3, 4})); // 0.67, 2, 3.33
  p.halfPixelCenters = 0;
  p.alignCorners = 1;
  EXPECT_EQ(run(p, DataType::Int8, {1, 2, 3, 4}), (std::vector<double>{1, 3, 4})); // 0, 1.5, 3
}

/// Position on the input's grid, in double precision.
double sourceOf(const ResizeParameters &p, uint32_t position, uint32_t input, uint32_t output) {
  if (p.alignCorners && output > 1)
    return double(position) * (input - 1) / (output - 1);
  double scale = double(input) / output;
  return p.halfPixelCenters ? (position + 0.5) * scale - 0.5 : position * scale;
}

TEST_F(ResizeTest, BilinearIsWeightedMeanOfFourNeighbors) {
  for (int round = 0; round < 100; ++round) {
    ResizeParameters p = randomParameters(ResizeKind::Bilinear);
    std::vector<double> input(size_t(p.batches) * p.inputHeight * p.inputWidth * p.channels);
    for (double &value : input)
      value = pick(random_, 0, 255);
    auto at = [&](uint32_t b, double y, double x, uint32_t c) {
      auto row = static_cast<size_t>(std::clamp(y, 0.0, p.inputHeight - 1.0));
      auto column = static_cast<size_t>(std::clamp(x, 0.0, p.inputWidth - 1.0));
      return input[((b * p.inputHeight + row) * p.inputWidth + column) * p.channels + c];
    };
    std::vector<double> real = run(p, DataType::Float32, input), half = run(p, DataType::Float16, input);
    std::vector<double> bytes = run(p, DataType::UInt8, input);
    p.kind = ResizeKind::FixedBilinear;
    std::vector<double> fixed = run(p, DataType::Int16, input);
    size_t index = 0;
    for (uint32_t b = 0; b < p.batches; ++b)
      for (uint32_t y = 0; y < p.outputHeight; ++y)
        for (uint32_t x = 0; x < p.outputWidth; ++x)
          for (uint32_t c = 0; c < p.channels; ++c, ++index) {
            double sy = std::max(0.0, sourceOf(p, y, p.inputHeight, p.outputHeight));
            double sx = std::max(0.0, sourceOf(p, x, p.inputWidth, p.outputWidth));
            double fy = sy - std::floor(sy), fx = sx - std::floor(sx);
            double top =
                at(b, std::floor(sy), std::floor(sx), c) * (1 - fx) + at(b, std::floor(sy), std::floor(sx) + 1, c) * fx;
            double bottom = at(b, std::floor(sy) + 1, std::floor(sx), c) * (1 - fx) +
                            at(b, std::floor(sy) + 1, std::floor(sx) + 1, c) * fx;
            double expected = top * (1 - fy) + bottom * fy;
            ASSERT_NEAR(real[index], expected, 1e-3);
            ASSERT_NEAR(half[index], expected, 0.13);
            ASSERT_NEAR(bytes[index], expected, 0.501);
            // Seven steps of a scale that is wrong by 1/2048 move both positions by 7/2048.
            ASSERT_NEAR(fixed[index], expected, 0.501 + 2 * 255 * 7.0 / 2048);
          }
  }
}

TEST_F(ResizeTest, NearestCopiesElementNearPosition) {
  for (int round = 0; round < 100; ++round) {
    ResizeParameters p = randomParameters(ResizeKind::Nearest);
    std::vector<double> input(size_t(p.batches) * p.inputHeight * p.inputWidth * p.channels);
    for (size_t i = 0; i < input.size(); ++i)
      input[i] = static_cast<double>(i);
    std::vector<double> result = run(p, DataType::Float32, input);
    size_t index = 0;
    for (uint32_t b = 0; b < p.batches; ++b)
      for (uint32_t y = 0; y < p.outputHeight; ++y)
        for (uint32_t x = 0; x < p.outputWidth; ++x)
          for (uint32_t c = 0; c < p.channels; ++c, ++index) {
            auto taken = static_cast<uint32_t>(result[index]);
            ASSERT_EQ(taken % p.channels, c);
            ASSERT_EQ(taken / p.channels / p.inputWidth / p.inputHeight, b);
            double row = taken / p.channels / p.inputWidth % p.inputHeight, column = taken / p.channels % p.inputWidth;
            ASSERT_LE(std::abs(row - sourceOf(p, y, p.inputHeight, p.outputHeight)), 1.0001);
            ASSERT_LE(std::abs(column - sourceOf(p, x, p.inputWidth, p.outputWidth)), 1.0001);
          }
  }
}

/// Bands with an input of exactly the rows that they read, and with one row less.
TEST_F(ResizeTest, BandsEqualRowsOfWholeImage) {
  for (int round = 0; round < 200; ++round) {
    ResizeParameters p = randomParameters(round % 2 ? ResizeKind::FixedBilinear : ResizeKind::Nearest);
    p.batches = 1;
    const size_t inputRow = size_t(p.inputWidth) * p.channels, outputRow = size_t(p.outputWidth) * p.channels;
    std::vector<double> input(p.inputHeight * inputRow);
    for (double &value : input)
      value = pick(random_, -100, 100);
    const std::vector<double> whole = run(p, DataType::Int8, input);
    const auto firstRow = static_cast<uint32_t>(pick(random_, 0, int(p.outputHeight) - 1));
    const ResizeBand band{firstRow, static_cast<uint32_t>(pick(random_, 1, int(p.outputHeight - firstRow)))};
    const ResizeSource source = sourceOf(p, band);
    DspCommand resize = command(p, DataType::Int8);
    for (const auto &words : {packParameters(band), packParameters(source)})
      resize.parameters.insert(resize.parameters.end(), words.begin(), words.end());
    resize.inputs = {dense(DataType::Int8, source.rows * inputRow)};
    resize.outputs = {dense(DataType::Int8, band.rows * outputRow)};
    sram_.setValues(resize.inputs[0], {input.begin() + long(source.firstRow * inputRow),
                                       input.begin() + long((source.firstRow + source.rows) * inputRow)});
    checkAndRun(*testTarget(), resize, sram_);
    const auto expected = whole.begin() + long(band.firstRow * outputRow);
    EXPECT_EQ(sram_.values(resize.outputs[0]), std::vector<double>(expected, expected + long(band.rows * outputRow)));
    --resize.parameters.back();
    resize.inputs[0].channels -= static_cast<uint32_t>(inputRow);
    EXPECT_FALSE(findKernel(resize)->check(*testTarget(), resize).isOk());
  }
}

TEST_F(ResizeTest, RejectsInvalidParameters) {
  ResizeParameters good{ResizeKind::Bilinear, 0, 0, 2, 3, 4, 5, 6, 7};
  DspCommand legal = command(good, DataType::Float16);
  auto isLegal = [&](auto &&change) {
    ResizeParameters p = good;
    change(p);
    DspCommand changed = legal;
    changed.parameters = packParameters(p);
    return findKernel(changed)->check(*testTarget(), changed).isOk();
  };
  EXPECT_TRUE(isLegal([](ResizeParameters &) {}));
  EXPECT_TRUE(isLegal([](ResizeParameters &p) { p.alignCorners = 1; }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.alignCorners = 2; }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.alignCorners = p.halfPixelCenters = 1; }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.kind = ResizeKind::FixedBilinear; }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.kind = ResizeKind(3); }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.inputHeight = 0; }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.outputWidth = 7; }));
  EXPECT_FALSE(isLegal([](ResizeParameters &p) { p.channels = 14; }));
  EXPECT_FALSE(
      isLegal([](ResizeParameters &p) { p.inputHeight = p.inputWidth = p.outputHeight = p.outputWidth = UINT32_MAX; }));
  auto isLegalBand = [&](uint32_t batches, uint32_t outputHeight, ResizeBand band, size_t words) {
    DspCommand changed = legal;
    ResizeParameters p = good;
    p.batches = batches;
    p.inputHeight *= good.batches / batches;
    p.outputHeight = outputHeight;
    const std::vector<uint32_t> bandWords = packParameters(band);
    changed.parameters = packParameters(p);
    changed.parameters.insert(changed.parameters.end(), bandWords.begin(), bandWords.begin() + words);
    return findKernel(changed)->check(*testTarget(), changed).isOk();
  };
  const uint32_t rows = 10; // of the input and the output, equal here
  EXPECT_TRUE(isLegalBand(1, 1000, {990, rows}, 2));
  EXPECT_TRUE(isLegalBand(1, UINT32_MAX, {5, rows}, 2)) << "the image may be much larger than its band";
  EXPECT_FALSE(isLegalBand(1, 1000, {990, rows}, 1));
  EXPECT_FALSE(isLegalBand(1, 1000, {991, rows}, 2));
  EXPECT_FALSE(isLegalBand(1, 1000, {UINT32_MAX, rows}, 2));
  EXPECT_FALSE(isLegalBand(1, 1000, {0, rows - 1}, 2));
  EXPECT_FALSE(isLegalBand(1, 1000, {0, 0}, 2));
  EXPECT_FALSE(isLegalBand(2, 1000, {0, rows / 2}, 2)) << "a band is of one image";
  DspCommand other = legal;
  other.inputs[0].type = other.outputs[0].type = DataType::Int16;
  EXPECT_FALSE(findKernel(other)->check(*testTarget(), other).isOk());
}

} // namespace
} // namespace avocet::kernels
