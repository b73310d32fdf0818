//===- DeviceBoundTest.cpp - Bounds with the limits of the device *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected cycles are computed by hand from the figures of the target files.
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/DeviceBound.h"

#include <gtest/gtest.h>

namespace avocet::kernels {
namespace {

using namespace firmware;

uint64_t cyclesOn(const char *target, const DeviceWork &work) { return deviceCycles(**Target::load(target), work); }

/// A convolution whose window is read whole.
DeviceWork convolution(uint64_t rows, uint64_t columns, uint64_t channels, uint64_t inputChannels,
                       uint64_t kernel = 3) {
  const uint64_t elements = rows * columns * channels, terms = kernel * kernel * inputChannels;
  DeviceWork work;
  work.work = {WorkKind::Dense, elements * terms, elements, terms, channels * terms, DataType::Int8, DataType::Int8};
  work.grid = {.rows = rows, .columns = columns, .isFree = kernel == 1, .channels = channels};
  work.grid.kernelRows = work.grid.kernelColumns = kernel;
  return work;
}

DeviceWork pool(uint64_t rows, uint64_t columns, uint64_t channels, uint64_t terms, WorkKind kind) {
  DeviceWork work;
  work.work = {kind, 0, rows * columns * channels, terms, 0, DataType::Int8, DataType::Int8};
  work.reads = rows * columns * channels * terms;
  work.grid = {.rows = rows, .columns = columns, .isFree = rows == 1 || columns == 1, .channels = channels};
  return work;
}

TEST(DeviceBoundTest, StepsAreWhole) {
  // e256: 4 x 4 steps of 2 x 2 positions, 3 granules of 8 channels; 9 passes of 32 products, 4 cycles each.
  EXPECT_EQ(cyclesOn("e256", convolution(7, 7, 20, 32)), 4u * 4 * 3 * 9 * 4);
  // m512: the cores divide 4 rows of steps times 3 granules.
  EXPECT_EQ(cyclesOn("m512", convolution(7, 7, 20, 32)), 4u * 6 * 9 * 4);
}

TEST(DeviceBoundTest, CoresDoNotDivideColumns) {
  // One row of steps and one granule for two cores: 8 columns of steps.
  DeviceWork work = convolution(2, 16, 8, 64);
  work.work.weights = 0;
  EXPECT_EQ(cyclesOn("m512", work), cyclesOn("e256", work));
}

TEST(DeviceBoundTest, PositionsOfOneByOneKernelsFillSteps) {
  // 49 positions are 13 steps of 4.
  DeviceWork work = convolution(7, 7, 32, 64, 1);
  work.work.weights = 0;
  EXPECT_EQ(cyclesOn("e256", work), 13u * 4 * 2 * 4);
}

TEST(DeviceBoundTest, FewChannelsArePackedWithNeighbors) {
  // 2 channels of 16 x 16 positions. Blocks of 2 x 2 positions as 8 channels read 4 x 4 of 64 channels: 4 x 4 steps of
  // 32 passes. Alone they would take 8 x 8 steps of 18 passes.
  DeviceWork work = convolution(16, 16, 2, 64);
  work.work.weights = 0;
  EXPECT_EQ(cyclesOn("e256", work), 4u * 4 * 32 * 4);
}

TEST(DeviceBoundTest, GroupsShareGranules) {
  // 16 groups of 2 channels that read 8 terms each: 4 groups in a granule have 32 terms, one pass.
  DeviceWork work = convolution(4, 4, 32, 8, 1);
  work.work.weights = 0;
  work.grid.groups = 16;
  // 4 steps, 4 granules, 1 pass: 64 cycles; the output stage takes 128.
  EXPECT_EQ(cyclesOn("e256", work), 128u);
  work.work.terms *= 8;
  work.work.macs *= 8;
  EXPECT_EQ(cyclesOn("e256", work), 4u * 4 * 8 * 4);
}

TEST(DeviceBoundTest, TransposedConvolutionsHavePhases) {
  // 3 x 3 with stride 2: phases of 4, 2, 2 and 1 taps of 32 channels, each of 8 x 8 positions and 2 granules.
  DeviceWork work = convolution(16, 16, 16, 32);
  work.work.macs = 8 * 8 * 32 * 9 * 16;
  work.work.terms = 1;
  work.work.weights = 0;
  work.grid.strideRows = work.grid.strideColumns = 2;
  work.grid.isTransposed = true;
  work.grid.inputChannels = 32;
  work.grid.inputPositions = 64;
  EXPECT_EQ(cyclesOn("e256", work), (4u + 2 + 2 + 1) * 16 * 2 * 4);
}

TEST(DeviceBoundTest, SmallShapesCanTakeTheDsp) {
  // One result of 16 products: the array takes a step of 4 cycles, the DSP 1.
  DeviceWork work = convolution(1, 1, 1, 16, 1);
  work.work.weights = 0;
  EXPECT_EQ(cyclesOn("e256", work), 1u);
}

TEST(DeviceBoundTest, PartsOfGlobalPoolsAreSpread) {
  // 64 terms of 16 channels: 16 passes, as 4 steps of 4 positions, for 2 granules.
  EXPECT_EQ(cyclesOn("e256", pool(1, 1, 16, 64, WorkKind::AveragePool)), 4u * 2 * 4);
}

TEST(DeviceBoundTest, DspTakesItsInstructions) {
  DeviceWork work;
  work.work = {WorkKind::Vector, 0, 1600, 1, 0, DataType::Int8, DataType::Int8};
  work.instructions = 5;
  EXPECT_EQ(cyclesOn("e256", work), 500u);
}

TEST(DeviceBoundTest, PortMovesOperandsAndResults) {
  DeviceWork work;
  work.work = {WorkKind::Vector, 0, 16, 1, 0, DataType::Int8, DataType::Int8};
  work.portBytes = 4096;
  EXPECT_EQ(cyclesOn("e256", work), 512u);
  EXPECT_EQ(cyclesOn("p4096", work), 32u);
}

TEST(DeviceBoundTest, SequencesTakeTheirSteps) {
  // 64 x 64 weights at 8 of a cycle, or 16 products of the DSP: 256 cycles and a row, 100 times.
  DeviceWork work;
  work.work = {WorkKind::Dense, 1, 64, 1, 1, DataType::Int8, DataType::Int8};
  work.sequenceSteps = 100;
  work.recurrentWeights = 64 * 64;
  work.recurrentOutputs = 64;
  EXPECT_EQ(cyclesOn("e256", work), 100u * (256 + 4));
}

TEST(DeviceBoundTest, WaitingAddsLatency) {
  DeviceWork work = convolution(1, 1, 8, 64, 1);
  const uint64_t own = cyclesOn("e256", work);
  work.waiting = Waiting::ForAll;
  EXPECT_EQ(cyclesOn("e256", work), own + 32 + 8);
  work.changesEngine = true;
  EXPECT_EQ(cyclesOn("e256", work), own + 32 + 8 + 4);
  work.waiting = Waiting::ForRows;
  EXPECT_EQ(cyclesOn("e256", work), std::max<uint64_t>(own, 32 + 8 + 4));
}

uint64_t boundOf(uint64_t cycles, uint64_t bytes) {
  const BoundedOperation operation{cycles, 0, true};
  return deviceBound(**Target::load("e256"), {&operation, 1}, bytes);
}

TEST(DeviceBoundTest, NetworksStartAndEndWithTransfers) {
  // 8 to issue, 64 to read, 4 for the semaphore, 32 to the array; back 4, 32 and 64.
  EXPECT_EQ(boundOf(1000, 10), 8u + 64 + 4 + 32 + 1000 + 4 + 32 + 64);
  EXPECT_EQ(boundOf(10, 5000), 5000u + 64);
  EXPECT_EQ(boundOf(0, 10), 10u + 64);
}

TEST(DeviceBoundTest, EnginesWorkAtTheSameTime) {
  const BoundedOperation operations[] = {{1000, 0, true}, {300, 0, false}, {500, 0, true}, {900, 0, false}};
  EXPECT_EQ(deviceBound(**Target::load("e256"), operations, 0), 108u + 1500 + 100);
}

TEST(DeviceBoundTest, ConstantsBeyondTheMemoryAreNotLoadedAhead) {
  // 1 byte in a cycle, and 384 KiB of SRAM.
  constexpr uint64_t kSram = 393'216, kBytes = 1'000'000;
  const BoundedOperation operations[] = {{800'000, 0, true}, {1000, kBytes, true}};
  EXPECT_EQ(deviceBound(**Target::load("e256s"), operations, kBytes), 800'000 + kBytes - kSram);
  EXPECT_EQ(deviceBound(**Target::load("e256"), operations, kBytes), kBytes + 64);
}

TEST(DeviceBoundTest, HugeWorkSaturates) {
  DeviceWork work = convolution(1ull << 31, 1ull << 31, 1ull << 31, 1ull << 31);
  work.work.macs = work.work.elements = work.work.terms = UINT64_MAX;
  EXPECT_LE(cyclesOn("e256", work), uint64_t(INT64_MAX));
  EXPECT_LE(boundOf(cyclesOn("e256", work), UINT64_MAX), uint64_t(INT64_MAX));
}

} // namespace
} // namespace avocet::kernels
