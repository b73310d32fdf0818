//===- RooflineTest.cpp - Bounds of operations and networks -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected cycles are computed by hand from the figures of the target files.
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Roofline.h"

#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"

#include <gtest/gtest.h>

namespace avocet::kernels {
namespace {

using namespace firmware;

std::shared_ptr<const Target> load(const std::string &name) { return std::move(Target::load(name)).value(); }

uint64_t cyclesOn(const char *target, const Work &work) { return computeCycles(*load(target), work); }

Work elementWork(WorkKind kind, uint64_t elements, DataType type = DataType::Int8) {
  return {.kind = kind, .macs = 0, .elements = elements, .terms = 1, .weights = 0, .input = type, .multiplier = type};
}

Work denseWork(uint64_t elements, uint64_t terms, DataType type = DataType::Int8) {
  return {WorkKind::Dense, elements * terms, elements, terms, 0, type, type};
}

TEST(RooflineTest, DenseWorkTakesPeakRate) {
  const Work work = denseWork(16 * 16 * 40, 64 * 9);
  EXPECT_EQ(cyclesOn("e256", work), 16u * 16 * 40 * 64 * 9 / 256);
  EXPECT_EQ(cyclesOn("m512", work), 16u * 16 * 40 * 64 * 9 / 512);
  EXPECT_EQ(cyclesOn("p4096", work), 16u * 16 * 40 * 64 * 9 / 4096);
}

TEST(RooflineTest, TermsFillWholePasses) {
  // 10240 outputs of 216 terms. e256: 320 steps of 32 outputs, 7 passes of 32 products and 4 cycles.
  const Work work = denseWork(16 * 16 * 40, 24 * 9);
  EXPECT_EQ(cyclesOn("e256", work), 320u * 7 * 4);
  EXPECT_EQ(cyclesOn("m512", work), 160u * 7 * 4);
  EXPECT_EQ(cyclesOn("p4096", work), 40u * 4 * 4); // 256 outputs, passes of 64 products
}

TEST(RooflineTest, UnequalTermsTakePeakRate) {
  Work work = denseWork(1024, 100);
  work.terms = 1;
  EXPECT_EQ(cyclesOn("e256", work), 400u);
}

TEST(RooflineTest, FewTermsAreBoundByOutputStage) {
  // 2048 outputs of 8 terms: 64 cycles of the array, 4 outputs per cycle.
  EXPECT_EQ(cyclesOn("e256", denseWork(2048, 8)), 512u);
}

TEST(RooflineTest, WiderTypesAreSlower) {
  EXPECT_EQ(cyclesOn("m512", denseWork(8192, 32, DataType::Float32)), 8192u * 32 * 8 / 512);
  Work wide = denseWork(4096, 64, DataType::Int16);
  EXPECT_EQ(cyclesOn("e256", wide), 4096u * 64 * 4 / 256); // both factors take two passes
  wide.multiplier = DataType::Int8;
  EXPECT_EQ(cyclesOn("e256", wide), 4096u * 64 * 2 / 256);
}

TEST(RooflineTest, DepthwiseStepsHoldWholeWindows) {
  const Work work = {WorkKind::Depthwise, 4500 * 9, 4500, 9, 180, DataType::Int8, DataType::Int8};
  // 32 outputs in a step, 4 of 9 taps in a pass of 4 cycles: ceil(4500 * 12 / 32).
  EXPECT_EQ(cyclesOn("e256", work), 1688u);
  // 256 outputs in a step, 16 taps: ceil(4500 * 4 / 256) = 71, less than the output stage: ceil(4500 * 2 / 125) = 72.
  EXPECT_EQ(cyclesOn("p4096", work), 72u);
}

TEST(RooflineTest, FewPositionsAreBoundByDecode) {
  Work full = denseWork(1000, 1280);
  full.weights = 1280 * 1000;
  EXPECT_EQ(cyclesOn("e256", full), 1280u * 1000 / 8);
  EXPECT_EQ(cyclesOn("m512", full), 1280u * 1000 / 16);
  EXPECT_EQ(cyclesOn("p4096", full), 1280u * 1000 / 64);
  const Work window = {WorkKind::Depthwise, 960 * 9, 960, 9, 960 * 9, DataType::Int8, DataType::Int8};
  EXPECT_EQ(cyclesOn("e256", window), 8640u); // 1 weight per cycle
}

TEST(RooflineTest, PoolsOfLargeWindowsTakeTheDsp) {
  // 13 x 13 over 16 x 16 outputs of 8 channels: 43 passes on e256. Rows and then columns: 28 and 16 columns of 13
  // terms.
  Work work = elementWork(WorkKind::MaxPool, 16 * 16 * 8);
  work.terms = 13 * 13;
  EXPECT_EQ(cyclesOn("e256", work), 16u * 16 * 8 / 32 * 43 * 4);
  work.axisTerms = 8 * 16 * 13 * (28 + 16);
  EXPECT_EQ(cyclesOn("e256", work), work.axisTerms / 16);
  work.kind = WorkKind::AveragePool; // in lanes of 16 bits
  EXPECT_EQ(cyclesOn("e256", work), work.axisTerms / 8);
}

TEST(RooflineTest, PoolsTakeDepthwiseSteps) {
  Work pool = elementWork(WorkKind::AveragePool, 1280);
  pool.terms = 49;
  EXPECT_EQ(cyclesOn("e256", pool), 1280u * 13 * 4 / 32);
  pool.kind = WorkKind::MaxPool;
  pool.terms = 4;
  EXPECT_EQ(cyclesOn("e256", pool), 160u); // 1280 / 32 steps of 4 cycles; 8 elements per cycle take as long
  pool.terms = 1;
  pool.kind = WorkKind::AveragePool;
  EXPECT_EQ(cyclesOn("e256", pool), 320u); // the output stage, 4 elements per cycle
}

TEST(RooflineTest, ElementWorkTakesRateOfItsKind) {
  EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Sum, 1000)), 750u);
  EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Sum, 1000, DataType::Int16)), 1500u);
  EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Product, 1000)), 375u);
  EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Lookup, 1000)), 1000u);
  EXPECT_EQ(cyclesOn("m512", elementWork(WorkKind::Product, 1001)), 191u); // ceil(1001 * 19 / 100)
}

TEST(RooflineTest, DspTakesWhatTheArrayLacks) {
  EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Vector, 1000)), 63u); // 16 lanes
  EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Sum, 1000, DataType::Int32)), 250u);
  Work mean = elementWork(WorkKind::AveragePool, 10, DataType::Int64);
  mean.terms = 100;
  EXPECT_EQ(cyclesOn("e256", mean), 500u); // each term, 2 lanes
}

TEST(RooflineTest, MovesTakeNoTime) { EXPECT_EQ(cyclesOn("e256", elementWork(WorkKind::Move, 1 << 20)), 0u); }

TEST(RooflineTest, WorkBeyondSixtyFourBitsSaturates) {
  const uint64_t much = uint64_t{1} << 62;
  EXPECT_GT(cyclesOn("e256", {WorkKind::Dense, much, 1, much, much, DataType::Float32, DataType::Float32}),
            much / 1024);
  EXPECT_GT(cyclesOn("e256", {WorkKind::Depthwise, much, much, much, much, DataType::Int16, DataType::Int16}),
            much / 1024);
}

TEST(RooflineTest, BoundIsWorkOrBytes) {
  auto target = load("m512"); // 3.75 bytes per cycle
  EXPECT_EQ(rooflineCycles(*target, 1000, 15), 1000u);
  EXPECT_EQ(rooflineCycles(*target, 1000, 15000), 4000u);
  EXPECT_EQ(rooflineCycles(*target, 0, 1), 1u);
}

FeatureMap tensor(uint32_t height, uint32_t width, uint32_t channels) {
  FeatureMap map;
  map.height = map.ringRows = height;
  map.width = width;
  map.channels = channels;
  map.pixelStride = channels;
  map.rowStride = channels * width;
  return map;
}

/// A convolution with square kernels, and the work that asks for it.
std::pair<ConvCommand, Work> convolution(ConvKind kind, uint32_t size, uint32_t inputs, uint32_t outputs,
                                         uint32_t kernel) {
  ConvCommand command;
  command.kind = kind;
  command.input = tensor(size, size, inputs);
  command.output = tensor(size, size, outputs);
  command.window.kernelHeight = command.window.kernelWidth = kernel;
  command.window.padTop = command.window.padLeft = kernel / 2;
  const bool isDense = kind == ConvKind::Dense;
  const uint64_t elements = uint64_t{size} * size * outputs, terms = uint64_t{kernel} * kernel * (isDense ? inputs : 1);
  return {command,
          {isDense ? WorkKind::Dense : WorkKind::Depthwise, elements * terms, elements, terms, terms * outputs,
           DataType::Int8, DataType::Int8}};
}

TEST(RooflineTest, IsLowerBoundOfCost) {
  for (const std::string &name : Target::shippedNames()) {
    auto target = load(name);
    for (const auto &[command, work] :
         {convolution(ConvKind::Dense, 16, 24, 40, 3), convolution(ConvKind::Dense, 7, 320, 1280, 1),
          convolution(ConvKind::Dense, 1, 1280, 1000, 1), convolution(ConvKind::Depthwise, 15, 20, 20, 3)})
      EXPECT_LE(computeCycles(*target, work), chooseBlock(*target, command).cycles) << name;
  }
}

} // namespace
} // namespace avocet::kernels
