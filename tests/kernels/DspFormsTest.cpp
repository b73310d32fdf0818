//===- DspFormsTest.cpp - Cycles of the forms of DSP kernels ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with several loops for the same work. Each expected figure stands as the sum of its instructions and loops.
// e256: 16 lanes of 8 bits, 4 of 32, 4 cycles for a loop. p4096: 128 and 32 lanes.
//
//===----------------------------------------------------------------------===//

#include "DenseMap.h"
#include "KernelTestSupport.h"
#include "cost/Cost.h"

#include "avocet/base/Rounding.h"
#include "avocet/kernels/Activation.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Rearrange.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/Window.h"

#include <cmath>
#include <vector>

namespace avocet::kernels {
namespace {

using namespace firmware;

uint64_t computeCycles(const char *target, const DspCommand &command) {
  const auto loaded = Target::load(target);
  const Kernel *kernel = findKernel(CommandBody(command));
  EXPECT_TRUE(kernel && kernel->check(**loaded, command).isOk());
  uint64_t cycles = 0;
  for (const BlockRun &run : kernel->cost(**loaded, command).runs)
    cycles += run.count * run.computeCycles;
  return cycles;
}

template <typename Parameters>
DspCommand commandOf(KernelId kernel, const Parameters &parameters, FeatureMap input, FeatureMap output) {
  DspCommand command;
  command.kernel = kernel.number;
  command.parameters = packParameters(parameters);
  command.inputs = {std::move(input)};
  command.outputs = {std::move(output)};
  return command;
}

TEST(DspFormsTest, ShortestFormCounts) {
  const auto target = Target::load("e256");
  DspCommand command;
  command.inputs = command.outputs = {denseMap(1, 1, 16)};
  DspWork work;
  work.elementOps = 160, work.rows = 10;
  work.others.push_back({.lines = {{2, 17, 6}}}); // 2 * 2 * (6 + 4)
  EXPECT_EQ(dspCost(**target, command, work).runs[0].computeCycles, 40u);
  work.rows = 5; // 160 / 16 + 5 * 4
  EXPECT_EQ(dspCost(**target, command, work).runs[0].computeCycles, 30u);
}

TEST(DspFormsTest, IntegerMeanFillsAllLanes) {
  const DspCommand image = commandOf(kMeanKernel, MeanParameters(), denseMap(100, 100, 32), denseMap(1, 1, 32));
  EXPECT_EQ(computeCycles("e256", image), 4u * (10000 + 4)); // 32 channels in groups of 8 lanes of 16 bits
  // 64 lanes would be half empty: one loop in memory order, and the sums of all lanes are joined
  EXPECT_EQ(computeCycles("p4096", image), (320000u + 2 * 128) / 64 + 4);
}

TEST(DspFormsTest, PixelMeansAddFourBytesAtOnce) {
  const DspCommand pixels = commandOf(kMeanKernel, MeanParameters(), denseMap(100, 100, 32), denseMap(100, 100, 1));
  EXPECT_EQ(computeCycles("p4096", pixels), 313u * (32 / 4 * 2 + 4)); // 10,000 pixels in groups of 32 lanes
}

TEST(DspFormsTest, FloatMeanHasAResultInEachLane) {
  const DspCommand image = commandOf(kMeanKernel, MeanParameters(), denseMap(100, 100, 32, DataType::Float32),
                                     denseMap(1, 1, 32, DataType::Float32));
  EXPECT_EQ(computeCycles("e256", image), 8u * (10000 + 4)); // 8 groups of 4 channels
  EXPECT_EQ(computeCycles("p4096", image), 10000u + 4);
}

TEST(DspFormsTest, FloatSumOfOneResultIsSequential) {
  ReduceParameters parameters{.kind = ReduceKind::Sum, .rank = 1, .extents = {1000}, .reducedAxes = 1};
  const DspCommand line = commandOf(kReduceKernel, parameters, denseMap(1, 1, 1000, DataType::Float32),
                                    denseMap(1, 1, 1, DataType::Float32));
  EXPECT_EQ(computeCycles("p4096", line), 1000u + 4);
  parameters.kind = ReduceKind::Max;
  const DspCommand most = commandOf(kReduceKernel, parameters, denseMap(1, 1, 1000, DataType::Float32),
                                    denseMap(1, 1, 1, DataType::Float32));
  EXPECT_EQ(computeCycles("p4096", most), 32u + 4); // 1000 / 32 lanes
}

TEST(DspFormsTest, PositionsHaveTheWidthOfElements) {
  const ArgReduceParameters rows{.extent = 100, .inner = 256};
  const DspCommand command =
      commandOf(kArgReduceKernel, rows, denseMap(1, 1, 25600), denseMap(1, 1, 256, DataType::Int32));
  EXPECT_EQ(computeCycles("p4096", command), 2u * (3 * 100 + 4)); // 2 groups of 128 lanes
  const ArgReduceParameters pixels{.extent = 20, .inner = 1};
  const DspCommand lines =
      commandOf(kArgReduceKernel, pixels, denseMap(1, 1, 25600), denseMap(1, 1, 1280, DataType::Int32));
  EXPECT_EQ(computeCycles("p4096", lines), 10u * (20 * (3 + 3) + 4)); // 10 groups of 128 lines, exchanged
}

DspCommand moveOf(std::vector<MoveAxis> axes, uint32_t elements, DataType type = DataType::Int8) {
  DspCommand command;
  command.kernel = kRearrangeKernel.number;
  command.parameters = packRearrange({false, 0, {{0, 0, 0, std::move(axes)}}});
  command.inputs = command.outputs = {denseMap(1, 1, elements, type)};
  return command;
}

TEST(DspFormsTest, ExchangeOfRowsAndColumnsHasLongLoops) {
  // 100 x 200 pixels of 3 bytes: lanes along the columns are gathered and scattered, with loops along the rows
  const DspCommand bytes = moveOf({{200, 3, 300}, {100, 600, 3}, {3, 1, 1}}, 60000);
  EXPECT_EQ(computeCycles("p4096", bytes), 3u * 7 * (2 * 100 + 4)); // 3 bytes, 7 groups of 32 of the 200
  // pixels of 16 bytes are 4 words
  const DspCommand words = moveOf({{200, 16, 1600}, {128, 3200, 16}, {16, 1, 1}}, 409600);
  EXPECT_EQ(computeCycles("p4096", words), 4u * 4 * (2 * 200 + 4));
}

TEST(DspFormsTest, LongRunsAreCopiedInRegisters) {
  const DspCommand rows = moveOf({{10, 4096, 2048}, {2048, 1, 1}}, 40960);
  EXPECT_EQ(computeCycles("e256", rows), 2048u * 10 / 4 / 4 + 10 * 4);
}

TEST(DspFormsTest, TransposeGathersOnOneSideOnly) {
  const DspCommand matrix = moveOf({{64, 1, 96}, {96, 64, 1}}, 6144);
  EXPECT_EQ(computeCycles("p4096", matrix), 2u * (96 + 4)); // 2 groups of 32 of the 64
}

DspCommand softmaxOf(FeatureMap map, float scale = 0.01f) {
  FeatureMap result = map;
  result.zeroPoint = -128;
  return commandOf(kSoftmaxKernel, prepareSoftmax(1, scale), std::move(map), std::move(result));
}

TEST(DspFormsTest, ShortSoftmaxHasALineInEachLane) {
  // Tables of 256 entries of 42 instructions. Of each byte 27 quarters of an instruction and 6 for its way to the lane
  // and back; 23 for the sum's reciprocal.
  const uint64_t table = 256 * 42 / 32 + 4;
  EXPECT_EQ(computeCycles("p4096", softmaxOf(denseMap(64, 100, 21))), table + 200 * ((21 * 33 + 3) / 4 + 23 + 4));
}

TEST(DspFormsTest, LongSoftmaxLoopsOncePerPass) {
  // 27 quarters for each byte; three loops, two joins of 10 instructions and the reciprocal for each line
  const uint64_t table = 256 * 42;
  EXPECT_EQ(computeCycles("p4096", softmaxOf(denseMap(8, 1, 240))),
            divideUp(table + 27 * 240 * 8 / 4, 32) + 4 + 2 * 8 * 4 + 8 * (20 + 23 + 4));
}

TEST(DspFormsTest, LongestSoftmaxMakesATableOfEachLine) {
  // 10 quarters for maximum and sum, and 6 for the look-up of each byte; 12 for each result of a line, of which there
  // are 256 different ones, and a loop more
  const uint64_t table = 256 * 42;
  EXPECT_EQ(computeCycles("p4096", softmaxOf(denseMap(8, 1, 4000))),
            divideUp(table + (16 * 4000 + 12 * 256) * 8 / 4, 32) + 4 + 3 * 8 * 4 + 8 * (20 + 23 + 4));
  // Differences from 69 on give the least result.
  const uint64_t fewer = 249 * 42;
  EXPECT_EQ(computeCycles("p4096", softmaxOf(denseMap(8, 1, 4000), 0.1f)),
            divideUp(fewer + (16 * 4000 + 12 * 70) * 8 / 4, 32) + 4 + 3 * 8 * 4 + 8 * (20 + 23 + 4));
}

/// Every result that the table leaves out is the least one, for the smallest sum that a line can have.
TEST(DspFormsTest, LeftOutResultsOfSoftmaxAreLeast) {
  for (const float scale : {0.011f, 0.05f, 0.1f, 0.5f, 3.0f}) {
    const auto entries = static_cast<int>(std::floor(10 * std::log(2.0) / scale)) + 1;
    if (entries > 255)
      continue;
    std::vector<uint8_t> sram = {127, static_cast<uint8_t>(127 - entries)};
    FeatureMap map = denseMap(1, 1, 2);
    const DspCommand command = softmaxOf(map, scale);
    findKernel(CommandBody(command))->run(**Target::load("e256"), command, sram);
    EXPECT_EQ(static_cast<int8_t>(sram[1]), -128) << scale;
  }
}

TEST(DspFormsTest, SoftmaxOfFewElementsMakesNoTable) {
  EXPECT_EQ(computeCycles("e256", softmaxOf(denseMap(1, 1, 10))), 10u * 48 / 4 + 4);
}

DspCommand poolOf(WindowPoolKind kind, uint32_t kernel, FeatureMap input, FeatureMap output) {
  WindowPoolParameters parameters;
  parameters.kind = kind;
  parameters.window.kernelHeight = parameters.window.kernelWidth = kernel;
  parameters.window.strideHeight = parameters.window.strideWidth = kernel;
  parameters.clamp = input.type == DataType::Float32 ? floatActivationClamp(Activation::kNone) : Clamp{-128, 127};
  return commandOf(kWindowPoolKernel, parameters, std::move(input), std::move(output));
}

TEST(DspFormsTest, MaximumReducesRowsThenColumns) {
  const DspCommand pool = poolOf(WindowPoolKind::Max, 20, denseMap(40, 40, 32), denseMap(2, 2, 32));
  // a row of 1,280 maxima over 20 rows; 2 pixels of 32 maxima over 20 columns, gathered: 64 in half of the lanes
  EXPECT_EQ(computeCycles("p4096", pool), 2u * (10 * (20 + 4)) + 2 * (2 * 20 + 4));
}

TEST(DspFormsTest, LargeWindowsSlide) {
  WindowPoolParameters parameters;
  parameters.window.kernelHeight = parameters.window.kernelWidth = 16;
  parameters.clamp = {-128, 127};
  const DspCommand pool = commandOf(kWindowPoolKernel, parameters, denseMap(47, 47, 128), denseMap(32, 32, 128));
  // along 47 rows of 47 vectors, 7 instructions for 16 rows: 5 windows of doubled sizes and 2 for the delay line; then
  // along each of 32 rows
  EXPECT_EQ(computeCycles("p4096", pool), 47u * (47 * 7 + 4) + 32 * (47 * 7 + 4));
}

TEST(DspFormsTest, FewTapsAreUnrolled) {
  WindowPoolParameters parameters;
  parameters.window.kernelHeight = parameters.window.kernelWidth = 2;
  parameters.clamp = {-128, 127};
  const DspCommand pool = commandOf(kWindowPoolKernel, parameters, denseMap(33, 33, 128), denseMap(32, 32, 128));
  EXPECT_EQ(computeCycles("p4096", pool), 32u * (32 * 4 + 4)); // a loop for each row, with all four taps
}

TEST(DspFormsTest, ColumnsPrecedeReducedLines) {
  // 1,000 rows of 5 results of 2 elements: 10 sums each for all, then the 2 of each result
  const ReduceParameters parameters{.kind = ReduceKind::Max, .rank = 3, .extents = {1000, 5, 2}, .reducedAxes = 1 | 4};
  const DspCommand command = commandOf(kReduceKernel, parameters, denseMap(1, 1, 10000), denseMap(1, 1, 5));
  EXPECT_EQ(computeCycles("p4096", command), (10000u + 2 * 640 + 127) / 128 + 4 + 2 * (1 + 3) + 4);
}

TEST(DspFormsTest, RunsOfFunctionsAreOneLoop) {
  FeatureMap dense = denseMap(10, 20, 3, DataType::Float32), rows = dense, gaps = dense;
  rows.rowStride = 256;
  gaps.pixelStride = 32, gaps.rowStride = 640;
  UnaryParameters absolute;
  absolute.function = UnaryFunction::Abs;
  EXPECT_EQ(computeCycles("e256", commandOf(kUnaryKernel, absolute, dense, dense)), 600u / 4 + 4);
  EXPECT_EQ(computeCycles("e256", commandOf(kUnaryKernel, absolute, dense, rows)), 600u / 4 + 10 * 4);
  EXPECT_EQ(computeCycles("e256", commandOf(kUnaryKernel, absolute, gaps, gaps)), 600u / 4 + 10 * 20 * 4);
}

TEST(DspFormsTest, RepeatedPixelsAreALoopEach) {
  const FeatureMap map = denseMap(10, 20, 3, DataType::Float32);
  BinaryParameters parameters;
  parameters.kind = BinaryKind::Maximum;
  DspCommand command = commandOf(kBinaryKernel, parameters, map, map);
  command.inputs.push_back(map);
  EXPECT_EQ(computeCycles("e256", command), 600u / 4 + 4);
  command.inputs[1] = denseMap(1, 1, 1, DataType::Float32);
  EXPECT_EQ(computeCycles("e256", command), 600u / 4 + 10 * 4);
  command.inputs[1] = denseMap(1, 1, 3, DataType::Float32);
  EXPECT_EQ(computeCycles("e256", command), 600u / 4 + 10 * 20 * 4);
}

TEST(DspFormsTest, FloatsAreNotRescaled) {
  const FeatureMap reals = denseMap(10, 20, 16, DataType::Float32), bytes = denseMap(10, 20, 16);
  BinaryParameters parameters;
  parameters.kind = BinaryKind::Mul;
  parameters.clamp = floatActivationClamp(Activation::kNone);
  DspCommand command = commandOf(kBinaryKernel, parameters, reals, reals);
  command.inputs.push_back(reals);
  EXPECT_EQ(computeCycles("e256", command), 3u * 3200 / 4 + 4); // a product and two bounds
  parameters.clamp = {-128, 127};
  command = commandOf(kBinaryKernel, parameters, bytes, bytes);
  command.inputs.push_back(bytes);
  EXPECT_EQ(computeCycles("e256", command), 8u * 3200 / 4 + 4);
}

TEST(DspFormsTest, FloatAverageKeepsTheOrder) {
  const DspCommand pool = poolOf(WindowPoolKind::Average, 20, denseMap(40, 40, 32, DataType::Float32),
                                 denseMap(2, 2, 32, DataType::Float32));
  EXPECT_EQ(computeCycles("p4096", pool), 4u * (400 + 4)); // 32 channels in 32 lanes
}

} // namespace
} // namespace avocet::kernels
