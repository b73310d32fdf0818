//===- ReduceTest.cpp - Reductions of any axes ---------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace avocet::kernels {
namespace {

using namespace firmware;

using KindAndType = std::pair<ReduceKind, DataType>;

const std::vector<KindAndType> kPairs = {
    {ReduceKind::Sum, DataType::Int32},    {ReduceKind::Sum, DataType::Int64},    {ReduceKind::Prod, DataType::Int32},
    {ReduceKind::Prod, DataType::Int64},   {ReduceKind::Mean, DataType::Int32},   {ReduceKind::Mean, DataType::Int64},
    {ReduceKind::Max, DataType::Int64},    {ReduceKind::Max, DataType::Int16},    {ReduceKind::Min, DataType::Int64},
    {ReduceKind::Min, DataType::Int16},    {ReduceKind::Sum, DataType::Float16},  {ReduceKind::Sum, DataType::Float32},
    {ReduceKind::Prod, DataType::Float16}, {ReduceKind::Prod, DataType::Float32}, {ReduceKind::Max, DataType::Float16},
    {ReduceKind::Max, DataType::Float32},  {ReduceKind::Max, DataType::Int32},    {ReduceKind::Max, DataType::Int8},
    {ReduceKind::Max, DataType::UInt8},    {ReduceKind::Max, DataType::Bool8},    {ReduceKind::Min, DataType::Float16},
    {ReduceKind::Min, DataType::Float32},  {ReduceKind::Min, DataType::Int32},    {ReduceKind::Min, DataType::Int8},
    {ReduceKind::Min, DataType::UInt8},    {ReduceKind::Min, DataType::Bool8},    {ReduceKind::Mean, DataType::Int8},
    {ReduceKind::Mean, DataType::UInt8},   {ReduceKind::Mean, DataType::Float16}, {ReduceKind::Mean, DataType::Float32},
    {ReduceKind::Sum, DataType::Int16}};

/// A reduction of random shape on random elements.
struct Case {
  DspCommand command;
  ReduceParameters parameters;
  uint32_t elements = 1, kept = 1; ///< of a row

  const FeatureMap &input() const { return command.inputs[0]; }
  const FeatureMap &output() const { return command.outputs[0]; }
  void pack() { command.parameters = packParameters(parameters); }
};

void pickShape(Case &c, Random &random) {
  c.parameters.rank = static_cast<uint32_t>(pick(random, 1, 6));
  c.parameters.reducedAxes = random() % (1u << c.parameters.rank);
  for (uint32_t axis = 0; axis < c.parameters.rank; ++axis) {
    uint32_t extent = c.parameters.extents[axis] = static_cast<uint32_t>(pick(random, 1, 4));
    c.elements *= extent;
    c.kept *= c.parameters.reducedAxes >> axis & 1 ? 1 : extent;
  }
}

Case makeCase(ReduceKind kind, DataType type, TestSram &sram, Random &random) {
  Case c;
  c.command.kernel = *dspKernelNumber("reduce");
  c.parameters.kind = kind;
  pickShape(c, random);
  auto rows = static_cast<uint32_t>(pick(random, 1, 3));
  c.command.inputs = {sram.map(type, rows, 1, c.elements, Placement::Scattered, random)};
  c.command.outputs = {sram.map(type, rows, 1, c.kept, Placement::Scattered, random)};
  if (kind == ReduceKind::Mean && sizeOf(type) == 1) {
    c.command.inputs[0].zeroPoint = pick(random, minValue(type), maxValue(type));
    c.command.outputs[0].zeroPoint = pick(random, minValue(type), maxValue(type));
    MeanParameters mean = prepareMean(0.02f, 0.015f, c.elements / c.kept);
    c.parameters.multiplier = mean.multiplier;
    c.parameters.shift = mean.shift;
  }
  sram.fill(c.input(), random);
  c.pack();
  return c;
}

/// The elements of a row that each element of the result combines, by their kept coordinates.
std::map<std::vector<uint32_t>, std::vector<double>> groupsOf(const Case &c, uint32_t row, TestSram &sram) {
  std::map<std::vector<uint32_t>, std::vector<double>> groups;
  for (uint32_t i = 0; i < c.elements; ++i) {
    std::vector<uint32_t> kept;
    uint32_t rest = i;
    for (uint32_t axis = c.parameters.rank; axis-- > 0; rest /= c.parameters.extents[axis])
      if (!(c.parameters.reducedAxes >> axis & 1))
        kept.insert(kept.begin(), rest % c.parameters.extents[axis]);
    groups[kept].push_back(sram.get(c.input(), row, 0, i));
  }
  return groups;
}

double combined(ReduceKind kind, const std::vector<double> &group) {
  double sum = 0, product = 1;
  for (double element : group) {
    sum += element;
    product *= element;
  }
  switch (kind) {
  case ReduceKind::Sum:
    return sum;
  case ReduceKind::Prod:
    return product;
  case ReduceKind::Max:
    return *std::max_element(group.begin(), group.end());
  case ReduceKind::Min:
    return *std::min_element(group.begin(), group.end());
  case ReduceKind::Mean:
    return sum / static_cast<double>(group.size());
  }
  return 0;
}

/// Sums, products and means of integers, modulo 2^64 and then modulo the type.
double combinedIntegers(ReduceKind kind, DataType type, const std::vector<double> &group) {
  uint64_t sum = 0, product = 1;
  for (double element : group) {
    sum += static_cast<uint64_t>(static_cast<int64_t>(element));
    product *= static_cast<uint64_t>(static_cast<int64_t>(element));
  }
  uint64_t result = kind == ReduceKind::Prod ? product : sum;
  if (kind == ReduceKind::Mean)
    result = static_cast<uint64_t>(static_cast<int64_t>(sum) / static_cast<int64_t>(group.size()));
  if (type == DataType::Int16)
    return static_cast<int16_t>(result);
  return type == DataType::Int32 ? double(static_cast<int32_t>(result)) : double(static_cast<int64_t>(result));
}

void expectElement(const Case &c, const std::vector<double> &group, double actual) {
  double expected = combined(c.parameters.kind, group);
  bool exact = c.parameters.kind == ReduceKind::Max || c.parameters.kind == ReduceKind::Min;
  if (exact) {
    ASSERT_EQ(actual, expected);
  } else if (sizeOf(c.input().type) > 1 && !isFloat(c.input().type)) {
    ASSERT_EQ(actual, combinedIntegers(c.parameters.kind, c.input().type, group));
  } else if (isFloat(c.input().type)) {
    double step = c.input().type == DataType::Float16 ? 1.0 / 1024 : 1e-5;
    ASSERT_NEAR(actual, expected, step * std::max(1.0, std::abs(expected)));
  } else {
    double low = minValue(c.output().type), high = maxValue(c.output().type);
    double sum = std::round((expected - c.input().zeroPoint) * static_cast<double>(group.size()));
    int64_t fixed = rescaledByDefinition(static_cast<int64_t>(sum), c.parameters.multiplier, c.parameters.shift);
    ASSERT_EQ(actual, std::clamp(static_cast<double>(fixed) + c.output().zeroPoint, low, high));
    double real = (expected - c.input().zeroPoint) * 0.02 / 0.015 + c.output().zeroPoint;
    ASSERT_NEAR(actual, std::clamp(real, low, high), 0.8);
  }
}

class ReduceTest : public testing::TestWithParam<KindAndType> {};

TEST_P(ReduceTest, CombinesElementsAlongAxes) {
  auto [kind, type] = GetParam();
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    Case c = makeCase(kind, type, sram, random);
    checkAndRun(*testTarget(), c.command, sram);
    for (uint32_t row = 0; row < c.input().height; ++row) {
      uint32_t index = 0;
      for (const auto &[kept, group] : groupsOf(c, row, sram)) // in the order of the result
        expectElement(c, group, sram.get(c.output(), row, 0, index++));
      ASSERT_EQ(index, c.kept);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReduceTest, testing::ValuesIn(kPairs));

TEST(ReduceByHandTest, HalvesAreSummedInSinglePrecision) {
  // 2048 + 1 + 1 is 2048 where each sum is rounded to f16.
  Random random(1);
  TestSram sram;
  Case c;
  c.command.kernel = *dspKernelNumber("reduce");
  c.parameters.extents = {3};
  c.parameters.reducedAxes = 1;
  c.command.inputs = {sram.map(DataType::Float16, 1, 1, 3, Placement::Dense, random)};
  c.command.outputs = {sram.map(DataType::Float16, 1, 1, 1, Placement::Dense, random)};
  c.pack();
  sram.setValues(c.input(), {2048, 1, 1});
  checkAndRun(*testTarget(), c.command, sram);
  EXPECT_EQ(sram.values(c.output()), (std::vector<double>{2050}));
}

std::vector<double> reducedAll(DataType type, const std::vector<double> &values, const ReduceParameters &parameters,
                               int32_t zeroInput, int32_t zeroOutput) {
  Random random(1);
  TestSram sram;
  auto count = static_cast<uint32_t>(values.size());
  Case c;
  c.command.kernel = *dspKernelNumber("reduce");
  c.parameters = parameters;
  c.parameters.extents = {count};
  c.parameters.reducedAxes = 1;
  c.command.inputs = {sram.map(type, 1, 1, count, Placement::Dense, random)};
  c.command.outputs = {sram.map(type, 1, 1, 1, Placement::Dense, random)};
  c.command.inputs[0].zeroPoint = zeroInput;
  c.command.outputs[0].zeroPoint = zeroOutput;
  c.pack();
  sram.setValues(c.input(), values);
  checkAndRun(*testTarget(), c.command, sram);
  return sram.values(c.output());
}

std::vector<double> sumOfBytes(DataType type, const std::vector<double> &values, float ratio, int32_t zeroInput,
                               int32_t zeroOutput) {
  return reducedAll(type, values, {ReduceKind::Sum, std::bit_cast<int32_t>(ratio), 0}, zeroInput, zeroOutput);
}

TEST(ReduceByHandTest, SumsOfBytesAreRescaledAndWrap) {
  // (10 + 20 - 7 - 3 * 2) * 0.5 + 4
  EXPECT_EQ(sumOfBytes(DataType::Int8, {10, 20, -7}, 0.5f, 2, 4), (std::vector<double>{13}));
  EXPECT_EQ(sumOfBytes(DataType::Int8, {127, 127}, 0.75f, 0, 0), (std::vector<double>{191 - 256}));
  EXPECT_EQ(sumOfBytes(DataType::UInt8, {10, 20}, 2.0f, 5, 100), (std::vector<double>{140}));
  EXPECT_EQ(sumOfBytes(DataType::Int8, {100, 100, 3}, 0.0f, 9, 9), (std::vector<double>{203 - 256}))
      << "equal scales add the stored values";
}

TEST(ReduceByHandTest, QuantizedProductsAreRescaledAfterEachFactor) {
  const ReduceParameters half{ReduceKind::Prod, 1 << 30, 0}, eighth{ReduceKind::Prod, 1 << 30, -2};
  // 8 * 3 / 2 = 12, 12 * -4 / 2 = -24, -24 / 2 + 4 = -8.
  EXPECT_EQ(reducedAll(DataType::Int8, {10, 5, -2}, half, 2, 4), (std::vector<double>{-8}));
  EXPECT_EQ(reducedAll(DataType::Int8, {3}, half, 0, 0), (std::vector<double>{2})) << "halves are rounded upwards";
  EXPECT_EQ(reducedAll(DataType::Int8, {3, 3}, half, 0, 0), (std::vector<double>{3})) << "9 / 4, rounded twice";
  EXPECT_EQ(reducedAll(DataType::Int8, {127, -128}, half, 0, 0), (std::vector<double>{-128})) << "saturates";
  // 300 * -200 / 8 = -7500, -7500 / 8 = -937.5.
  EXPECT_EQ(reducedAll(DataType::Int16, {300, -200}, eighth, 0, 0), (std::vector<double>{-937}));
  EXPECT_EQ(reducedAll(DataType::Int16, {32767, 32767}, half, 0, 0), (std::vector<double>{32767}));
}

TEST(ReduceCheckTest, RejectsHostileParameters) {
  Random random(3);
  TestSram sram;
  Case legal;
  legal.command.kernel = *dspKernelNumber("reduce");
  legal.command.inputs = {sram.map(DataType::Float32, 2, 1, 12, Placement::Dense, random)};
  legal.command.outputs = {sram.map(DataType::Float32, 2, 1, 4, Placement::Dense, random)};
  legal.parameters.rank = 3;
  legal.parameters.extents = {2, 3, 2};
  legal.parameters.reducedAxes = 2;
  auto accepts = [&](auto &&change) {
    Case c = legal;
    change(c);
    c.pack();
    return findKernel(c.command)->check(*testTarget(), c.command).isOk();
  };
  EXPECT_TRUE(accepts([](Case &) {}));
  EXPECT_TRUE(accepts([](Case &c) { c.parameters.reducedAxes = 0xFFFFFFF2; })) << "bits beyond the rank are ignored";
  for (uint32_t rank : {0u, 2u, 4u, 9u, 0xFFFFFFFFu})
    EXPECT_FALSE(accepts([&](Case &c) { c.parameters.rank = rank; })) << rank;
  for (uint32_t extent : {0u, 1u, 6u, 0x80000001u, 0xFFFFFFFFu})
    EXPECT_FALSE(accepts([&](Case &c) { c.parameters.extents[1] = extent; })) << extent;
  EXPECT_FALSE(accepts([](Case &c) { c.parameters.reducedAxes = 1; }));
  EXPECT_FALSE(accepts([](Case &c) { c.parameters.kind = static_cast<ReduceKind>(5); }));
  EXPECT_FALSE(accepts([](Case &c) { c.parameters.shift = 32; }));
  EXPECT_FALSE(accepts([](Case &c) { c.parameters.multiplier = 0x7F800000; })) << "infinity";
  EXPECT_FALSE(accepts([](Case &c) { c.command.inputs[0].width = 2; }));
  EXPECT_FALSE(accepts([](Case &c) { c.command.outputs[0].height = 1; }));
  EXPECT_FALSE(accepts([](Case &c) { c.command.outputs[0].type = DataType::Int32; }));
  EXPECT_FALSE(accepts([](Case &c) { c.command.inputs[0].type = c.command.outputs[0].type = DataType::UInt16; }));
}

class ArgReduceTest : public testing::TestWithParam<DataType> {};

TEST_P(ArgReduceTest, FindsFirstExtremeElement) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    auto pickExtent = [&] { return static_cast<uint32_t>(pick(random, 1, 5)); };
    uint32_t rows = pickExtent(), outer = pickExtent(), extent = pickExtent(), inner = pickExtent();
    FeatureMap in = sram.map(GetParam(), rows, 1, outer * extent * inner, Placement::Scattered, random);
    DataType resultType = seed % 3 == 0 ? DataType::Int64 : DataType::Int32;
    FeatureMap out = sram.map(resultType, rows, 1, outer * inner, Placement::Scattered, random);
    // Few different numbers, so that some are equal.
    std::vector<double> values(size_t(rows) * in.channels);
    std::generate(values.begin(), values.end(), [&] { return pick(random, 0, 3); });
    sram.setValues(in, values);
    DspCommand command;
    command.kernel = *dspKernelNumber("argReduce");
    command.parameters = packParameters(ArgReduceParameters{seed % 2, extent, inner});
    command.inputs = {in};
    command.outputs = {out};
    checkAndRun(*testTarget(), command, sram);
    for (uint32_t y = 0; y < rows; ++y)
      for (uint32_t o = 0; o < outer; ++o)
        for (uint32_t i = 0; i < inner; ++i) {
          std::vector<double> line;
          for (uint32_t position = 0; position < extent; ++position)
            line.push_back(values[((size_t(y) * outer + o) * extent + position) * inner + i]);
          auto found =
              seed % 2 != 0 ? std::min_element(line.begin(), line.end()) : std::max_element(line.begin(), line.end());
          ASSERT_EQ(sram.get(out, y, 0, o * inner + i), static_cast<double>(found - line.begin()));
        }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ArgReduceTest,
                         testing::Values(DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32,
                                         DataType::Int64, DataType::Float16, DataType::Float32));

TEST(ArgReduceCheckTest, RejectsHostileOperands) {
  Random random(1);
  TestSram sram;
  DspCommand legal;
  legal.kernel = *dspKernelNumber("argReduce");
  legal.parameters = {0, 3, 4};
  legal.inputs = {sram.map(DataType::Float32, 2, 1, 24, Placement::Dense, random)};
  legal.outputs = {sram.map(DataType::Int32, 2, 1, 8, Placement::Dense, random)};
  auto accepts = [&](auto &&change) {
    DspCommand command = legal;
    change(command);
    return findKernel(command)->check(*testTarget(), command).isOk();
  };
  EXPECT_TRUE(accepts([](DspCommand &) {}));
  EXPECT_TRUE(accepts([](DspCommand &c) { c.parameters = {1, 3, 8}; }));
  for (std::vector<uint32_t> parameters : std::vector<std::vector<uint32_t>>{
           {2, 3, 4}, {0, 3}, {0, 0, 4}, {0, 3, 0}, {0, 2, 4}, {0, 4, 4}, {0, 3, 3}, {0, 3, 16}, {0, 0x80000003, 4}})
    EXPECT_FALSE(accepts([&](DspCommand &c) { c.parameters = parameters; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.outputs[0].channels = 4; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.outputs[0].height = 1; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.inputs[0].width = 3; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.outputs[0].type = DataType::Float32; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.inputs[0].type = DataType::Bool8; }));
}

} // namespace
} // namespace avocet::kernels
