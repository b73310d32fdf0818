//===- DynamicQuantizeTest.cpp - Scales from the values ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Quantize.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

/// One dynamic quantization: the record and the quantized values.
struct DynamicResult {
  DynamicRecord record;
  std::vector<double> values;
};

DynamicResult dynamicQuantize(const std::vector<double> &input, bool asymmetric) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  auto channels = static_cast<uint32_t>(input.size());
  FeatureMap in = sram.map(DataType::Float32, 1, 1, channels, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int8, 1, 1, channels, Placement::Dense, random);
  FeatureMap record = sram.map(DataType::Int8, 1, 1, sizeof(DynamicRecord), Placement::Dense, random);
  sram.setValues(in, input);
  DspCommand command = dspCommand("dynamicQuantize", packParameters(DynamicQuantizeParameters{asymmetric ? 1u : 0u}));
  command.inputs = {in};
  command.outputs = {out, record};
  checkAndRun(*target, command, sram);
  return {*sram.at<DynamicRecord>(record.address), sram.values(out)};
}

TEST(DynamicQuantizeTest, SymmetricByHand) {
  DynamicResult result = dynamicQuantize({-2.54, 1.27, 0, 2.0}, false);
  EXPECT_FLOAT_EQ(result.record.scale, 0.02f);
  EXPECT_EQ(result.record.zeroPoint, 0);
  EXPECT_EQ(result.values, (std::vector<double>{-127, 64, 0, 100}));
}

TEST(DynamicQuantizeTest, AsymmetricByHand) {
  // Range [0, 2.55]: scale 0.01, zero point -128.
  DynamicResult result = dynamicQuantize({2.55, 1.0, 0.5, 0.25}, true);
  EXPECT_FLOAT_EQ(result.record.scale, 0.01f);
  EXPECT_EQ(result.record.zeroPoint, -128);
  EXPECT_EQ(result.values, (std::vector<double>{127, -28, -78, -103}));
}

TEST(DynamicQuantizeTest, StepsKeepTheRangeInTheRecord) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Float32, 1, 1, 2, Placement::Dense, random);
  FeatureMap out = sram.map(DataType::Int8, 1, 1, 2, Placement::Dense, random);
  FeatureMap record = sram.map(DataType::Int8, 1, 1, sizeof(DynamicRecord), Placement::Dense, random);
  DspCommand command = dspCommand("dynamicQuantize", {0, 0});
  command.inputs = {in};
  command.outputs = {out, record};
  auto run = [&](DynamicQuantizeStep step, const std::vector<double> &values) {
    sram.setValues(in, values);
    command.parameters[1] = static_cast<uint32_t>(step);
    checkAndRun(*target, command, sram);
  };
  run(DynamicQuantizeStep::FirstRange, {-1, 0.5});
  run(DynamicQuantizeStep::Range, {2.54, 1});
  EXPECT_EQ(*sram.at<float>(record.address), -1.0f);
  EXPECT_EQ(*sram.at<float>(record.address + 4), 2.54f);
  run(DynamicQuantizeStep::Values, {-1, 0.5});
  EXPECT_EQ(sram.values(out), (std::vector<double>{-50, 25}));
  EXPECT_EQ(*sram.at<float>(record.address + 4), 2.54f);
  run(DynamicQuantizeStep::LastValues, {2.54, 1});
  EXPECT_EQ(sram.values(out), (std::vector<double>{127, 50}));
  EXPECT_FLOAT_EQ(sram.at<DynamicRecord>(record.address)->scale, 0.02f);
  for (uint32_t step : {0u, 5u, UINT32_MAX}) {
    command.parameters[1] = step;
    EXPECT_FALSE(findKernel(command)->check(*target, command).isOk());
  }
}

/// The same through the kernels of rows, on a map of `rows` rows.
DynamicResult dynamicQuantizeByRows(const std::vector<double> &input, uint32_t rows, bool asymmetric) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  const auto channels = static_cast<uint32_t>(input.size() / rows);
  FeatureMap in = sram.map(DataType::Float32, rows, 1, channels, Placement::Scattered, random);
  FeatureMap out = sram.map(DataType::Int8, rows, 1, channels, Placement::Scattered, random);
  FeatureMap ranges = sram.map(DataType::Float32, rows, 1, 2, Placement::Dense, random);
  FeatureMap whole = sram.map(DataType::Float32, 1, 1, 2, Placement::Dense, random);
  FeatureMap record = sram.map(DataType::Int8, 1, 1, sizeof(DynamicRecord), Placement::Dense, random);
  sram.setValues(in, input);
  DspCommand range = dspCommand("rowRange", {});
  range.inputs = {in};
  range.outputs = {ranges};
  checkAndRun(*target, range, sram);
  const std::vector<uint32_t> parameters = packParameters(DynamicQuantizeParameters{asymmetric ? 1u : 0u});
  DspCommand scale = dspCommand("dynamicRecord", parameters);
  scale.inputs = {ranges};
  scale.outputs = {whole, record};
  checkAndRun(*target, scale, sram);
  DspCommand values = dspCommand("dynamicValues", parameters);
  values.inputs = {in, whole};
  values.outputs = {out};
  checkAndRun(*target, values, sram);
  return {*sram.at<DynamicRecord>(record.address), sram.values(out)};
}

/// Also of a NaN.
uint64_t bitsOf(const DynamicRecord &record) { return std::bit_cast<uint64_t>(record); }

TEST(DynamicQuantizeTest, RowsGiveTheBitsOfTheWhole) {
  Random random(9);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (double odd : {0.0, -0.0, 40.0, kInfinity, -kInfinity, std::nan("")})
    for (bool asymmetric : {false, true}) {
      std::vector<double> input;
      for (int i = 0; i < 60; ++i)
        input.push_back(static_cast<float>(pickReal(random, -3, 7)));
      input[random() % 60] = odd;
      const DynamicResult whole = dynamicQuantize(input, asymmetric);
      for (uint32_t rows : {1u, 2u, 5u, 60u}) {
        const DynamicResult byRows = dynamicQuantizeByRows(input, rows, asymmetric);
        EXPECT_EQ(bitsOf(byRows.record), bitsOf(whole.record)) << odd << ", rows " << rows;
        EXPECT_EQ(byRows.values, whole.values) << odd << ", rows " << rows;
      }
    }
}

TEST(DynamicQuantizeTest, RangeOfEachRowByHand) {
  Random random(1);
  TestSram sram;
  FeatureMap in = sram.map(DataType::Float32, 3, 2, 2, Placement::Dense, random);
  FeatureMap ranges = sram.map(DataType::Float32, 3, 1, 2, Placement::Dense, random);
  sram.setValues(in, {1, 2, -3, 4, 5, 5, 5, 5, std::nan(""), 0.5, std::nan(""), 7});
  DspCommand command = dspCommand("rowRange", {});
  command.inputs = {in};
  command.outputs = {ranges};
  checkAndRun(*testTarget(), command, sram);
  EXPECT_EQ(sram.values(ranges), (std::vector<double>{-3, 4, 5, 5, 0.5, 7}));
}

TEST(DynamicQuantizeTest, KernelsOfRowsRefuseOtherShapes) {
  Random random(1);
  TestSram sram;
  auto map = [&](DataType type, uint32_t height, uint32_t channels) {
    return sram.map(type, height, 1, channels, Placement::Dense, random);
  };
  auto refusal = [&](const char *kernel, std::vector<uint32_t> parameters, std::vector<FeatureMap> inputs,
                     std::vector<FeatureMap> outputs) {
    DspCommand command = dspCommand(kernel, std::move(parameters));
    command.inputs = std::move(inputs);
    command.outputs = std::move(outputs);
    return findKernel(CommandBody(command))->check(*testTarget(), command).message();
  };
  const FeatureMap rows = map(DataType::Float32, 3, 8), ranges = map(DataType::Float32, 3, 2);
  const FeatureMap range = map(DataType::Float32, 1, 2), record = map(DataType::Int8, 1, 8);
  const FeatureMap values = map(DataType::Int8, 3, 8);
  using testing::HasSubstr;
  EXPECT_EQ(refusal("rowRange", {}, {rows}, {ranges}), "");
  EXPECT_THAT(refusal("rowRange", {}, {rows}, {range}), HasSubstr("output0.height"));
  EXPECT_THAT(refusal("rowRange", {}, {rows}, {rows}), HasSubstr("output0.channels"));
  EXPECT_THAT(refusal("rowRange", {1}, {rows}, {ranges}), HasSubstr("parameters"));
  EXPECT_EQ(refusal("dynamicRecord", {1}, {ranges}, {range, record}), "");
  EXPECT_THAT(refusal("dynamicRecord", {2}, {ranges}, {range, record}), HasSubstr("asymmetric"));
  EXPECT_THAT(refusal("dynamicRecord", {1}, {ranges}, {ranges, record}), HasSubstr("output0.height"));
  EXPECT_THAT(refusal("dynamicRecord", {1}, {ranges}, {range, values}), HasSubstr("output1 bytes"));
  EXPECT_EQ(refusal("dynamicValues", {0}, {rows, range}, {values}), "");
  EXPECT_THAT(refusal("dynamicValues", {0}, {rows, ranges}, {values}), HasSubstr("input1.height"));
  EXPECT_THAT(refusal("dynamicValues", {0}, {rows, range}, {record}), HasSubstr("output0"));
}

TEST(DynamicQuantizeTest, ZerosHaveScaleOne) {
  for (bool asymmetric : {false, true}) {
    DynamicResult result = dynamicQuantize({0, 0, 0}, asymmetric);
    EXPECT_EQ(result.record.scale, 1);
    EXPECT_EQ(result.record.zeroPoint, 0);
    EXPECT_EQ(result.values, (std::vector<double>{0, 0, 0}));
  }
}

TEST(DynamicQuantizeTest, RecoversTheValuesWithinHalfAStep) {
  Random random(5);
  std::vector<double> input;
  for (int i = 0; i < 200; ++i)
    input.push_back(pickReal(random, -3, 7));
  for (bool asymmetric : {false, true}) {
    DynamicResult result = dynamicQuantize(input, asymmetric);
    for (size_t i = 0; i < input.size(); ++i)
      EXPECT_NEAR((result.values[i] - result.record.zeroPoint) * result.record.scale, input[i],
                  result.record.scale * (asymmetric ? 1.01 : 0.51));
  }
}

TEST(DynamicQuantizeTest, InfinityAndNanKeepZeroPointInRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (bool asymmetric : {false, true})
    for (double odd : {kInfinity, -kInfinity, std::nan("")}) {
      DynamicResult result = dynamicQuantize({odd, 1, -1}, asymmetric);
      EXPECT_GE(result.record.zeroPoint, -128);
      EXPECT_LE(result.record.zeroPoint, 127);
    }
}

} // namespace
} // namespace avocet::kernels
