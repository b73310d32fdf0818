//===- CastTest.cpp - Casts and selections ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Cast.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace avocet::kernels {
namespace {

using namespace firmware;

constexpr DataType kTypes[] = {DataType::Int8,  DataType::UInt8,   DataType::Int16,   DataType::UInt16,
                               DataType::Int32, DataType::Int64,   DataType::Float16, DataType::Float32,
                               DataType::Bool8, DataType::BFloat16};

/// The result of the conversion, from the definition.
double castTo(DataType type, double number) {
  if (type == DataType::Float16)
    return static_cast<double>(static_cast<_Float16>(static_cast<float>(number)));
  if (type == DataType::Float32)
    return static_cast<float>(number);
  if (type == DataType::BFloat16) { // 8 bits with the leading one
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(static_cast<float>(number)), &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
  }
  if (type == DataType::Bool8)
    return number != 0 ? 1 : 0;
  if (type == DataType::Int64) // no test number is out of its range
    return std::isnan(number) ? 0 : std::trunc(number);
  return std::isnan(number) ? 0 : std::clamp(std::trunc(number), double(minValue(type)), double(maxValue(type)));
}

std::vector<double> castOf(DataType from, DataType to, const std::vector<double> &values,
                           const std::vector<uint32_t> &parameters = {}) {
  Random random(1);
  TestSram sram;
  auto count = static_cast<uint32_t>(values.size());
  DspCommand command;
  command.kernel = *dspKernelNumber("cast");
  command.parameters = parameters;
  command.inputs = {sram.map(from, 1, 1, count, Placement::Dense, random)};
  command.outputs = {sram.map(to, 1, 1, count, Placement::Dense, random)};
  sram.setValues(command.inputs[0], values);
  checkAndRun(*testTarget(), command, sram);
  return sram.values(command.outputs[0]);
}

class CastTest : public testing::TestWithParam<std::tuple<DataType, DataType>> {};

TEST_P(CastTest, ConvertsNumbersByDefinition) {
  auto [from, to] = GetParam();
  Random random(1);
  TestSram sram;
  DspCommand command;
  command.kernel = *dspKernelNumber("cast");
  command.inputs = {sram.map(from, 3, 4, 7, Placement::Scattered, random)};
  command.outputs = {sram.map(to, 3, 4, 7, Placement::Scattered, random)};
  if (from == DataType::UInt8)
    command.inputs[0].zeroPoint = 9; // must be ignored
  sram.fill(command.inputs[0], random);
  checkAndRun(*testTarget(), command, sram);
  std::vector<double> in = sram.values(command.inputs[0]), out = sram.values(command.outputs[0]);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(out[i], castTo(to, in[i])) << in[i];
}

INSTANTIATE_TEST_SUITE_P(All, CastTest, testing::Combine(testing::ValuesIn(kTypes), testing::ValuesIn(kTypes)));

TEST(CastByHandTest, ClampsFloatsOutOfRange) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> odd = {-1.5, 255.9, 300, -kInfinity, kInfinity, std::nan(""), 2.9995};
  EXPECT_EQ(castOf(DataType::Float32, DataType::UInt8, odd), (std::vector<double>{0, 255, 255, 0, 255, 0, 2}));
  EXPECT_EQ(castOf(DataType::Float16, DataType::Int8, odd), (std::vector<double>{-1, 127, 127, -128, 127, 0, 3}))
      << "2.9995 is 3 in f16";
  EXPECT_EQ(castOf(DataType::Float32, DataType::Int32, {3e9, -3e9, -7.9}),
            (std::vector<double>{2147483647.0, -2147483648.0, -7}));
}

TEST(CastByHandTest, RoundsToBFloat16) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers =
      castOf(DataType::Float32, DataType::BFloat16,
             {1 + 0x1p-8, 1 + 0x3p-8, -1 - 0x1p-8 - 0x1p-20, 3.4e38, -3.4e38, kInfinity, 1e-41, std::nan("")});
  EXPECT_EQ(std::vector<double>(numbers.begin(), numbers.end() - 1),
            (std::vector<double>{1, 1 + 0x1p-6, -1 - 0x1p-7, kInfinity, -kInfinity, kInfinity, 0x1p-133 * 0}));
  EXPECT_TRUE(std::isnan(numbers.back()));
  EXPECT_EQ(castOf(DataType::BFloat16, DataType::UInt8, {-1.5, 255.9, 2.5, kInfinity, std::nan("")}),
            (std::vector<double>{0, 255, 2, 255, 0}));
}

TEST(CastByHandTest, EveryBFloat16WidensAndComesBack) {
  std::vector<uint16_t> all(65536);
  std::iota(all.begin(), all.end(), uint16_t{0});
  Random random(1);
  TestSram sram;
  DspCommand widen, narrow;
  widen.kernel = narrow.kernel = kCastKernel.number;
  const auto map = [&](DataType type) { return sram.map(type, 1, 1, 65536, Placement::Dense, random); };
  widen.inputs = {map(DataType::BFloat16)};
  widen.outputs = narrow.inputs = {map(DataType::Float32)};
  narrow.outputs = {map(DataType::BFloat16)};
  std::memcpy(sram.at<uint16_t>(widen.inputs[0].address), all.data(), 2 * all.size());
  checkAndRun(*testTarget(), widen, sram);
  checkAndRun(*testTarget(), narrow, sram);
  const auto *wide = sram.at<uint32_t>(widen.outputs[0].address);
  const auto *back = sram.at<uint16_t>(narrow.outputs[0].address);
  for (uint32_t bits = 0; bits < all.size(); ++bits) {
    const bool isNan = (bits & 0x7FFF) > 0x7F80;
    ASSERT_EQ(wide[bits], bits << 16);
    ASSERT_EQ(back[bits], isNan ? bits | 0x40 : bits);
  }
}

TEST(CastByHandTest, WideIntegersSaturateOrWrap) {
  const double kFar = 0x1p40 + 258;
  EXPECT_EQ(castOf(DataType::Int64, DataType::Int32, {kFar, -kFar, -7}),
            (std::vector<double>{2147483647.0, -2147483648.0, -7}));
  EXPECT_EQ(castOf(DataType::Int64, DataType::Int32, {kFar, -kFar, -7}, {kCastWraps}),
            (std::vector<double>{258, -258, -7}));
  EXPECT_EQ(castOf(DataType::Int64, DataType::UInt8, {kFar, -1}, {kCastWraps}), (std::vector<double>{2, 255}));
  EXPECT_EQ(castOf(DataType::Int8, DataType::UInt8, {-1, 127}), (std::vector<double>{0, 127}));
  EXPECT_EQ(castOf(DataType::Float32, DataType::UInt8, {300}, {kCastWraps}), (std::vector<double>{255}))
      << "only integers wrap";
}

TEST(CastByHandTest, WideIntegersKeepAllBits) {
  Random random(1);
  TestSram sram;
  DspCommand command;
  command.kernel = *dspKernelNumber("cast");
  command.inputs = {sram.map(DataType::Int64, 1, 1, 3, Placement::Dense, random)};
  command.outputs = {sram.map(DataType::Int64, 1, 1, 3, Placement::Dense, random)};
  const int64_t values[] = {0x7FFFFFFFFFFFFFFF, -0x7FFFFFFFFFFFFFFF, (int64_t(1) << 53) + 1};
  std::memcpy(sram.at<int64_t>(command.inputs[0].address), values, sizeof(values));
  checkAndRun(*testTarget(), command, sram);
  EXPECT_EQ(std::memcmp(sram.at<int64_t>(command.outputs[0].address), values, sizeof(values)), 0);
}

TEST(CastByHandTest, FloatsSaturateToWideIntegers) {
  EXPECT_EQ(castOf(DataType::Float32, DataType::Int64, {1e30, -1e30, std::nan(""), -2.9, 0x1p40}),
            (std::vector<double>{0x1p63, -0x1p63, 0, -2, 0x1p40}));
}

TEST(CastByHandTest, TrueBecomesOne) {
  EXPECT_EQ(castOf(DataType::Bool8, DataType::Float32, {0, 1, 7}), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(castOf(DataType::Int32, DataType::Bool8, {0, 256, -1}), (std::vector<double>{0, 1, 1}));
}

TEST(CastCheckTest, RejectsHostileOperands) {
  Random random(1);
  TestSram sram;
  DspCommand legal;
  legal.kernel = *dspKernelNumber("cast");
  legal.inputs = {sram.map(DataType::Int32, 2, 3, 4, Placement::Dense, random)};
  legal.outputs = {sram.map(DataType::UInt8, 2, 3, 4, Placement::Dense, random)};
  auto accepts = [&](auto &&change) {
    DspCommand command = legal;
    change(command);
    return findKernel(command)->check(*testTarget(), command).isOk();
  };
  EXPECT_TRUE(accepts([](DspCommand &) {}));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.parameters = {0}; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.outputs[0].channels = 3; }));
  EXPECT_TRUE(accepts([](DspCommand &c) { c.parameters = {kCastWraps}; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.parameters = {kCastWraps, kCastWraps}; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.inputs[0].type = static_cast<DataType>(99); }));
}

class SelectTest : public testing::TestWithParam<DataType> {};

TEST_P(SelectTest, SelectsElementsByCondition) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    TestSram sram;
    auto map = [&](DataType type) { return sram.map(type, 3, 4, 5, Placement::Scattered, random); };
    DspCommand command;
    command.kernel = *dspKernelNumber("select");
    command.inputs = {map(DataType::Bool8), map(GetParam()), map(GetParam())};
    command.outputs = {map(GetParam())};
    for (const FeatureMap &input : command.inputs)
      sram.fill(input, random);
    sram.set(command.inputs[0], 0, 0, 0, 77);
    checkAndRun(*testTarget(), command, sram);
    std::vector<double> condition = sram.values(command.inputs[0]), a = sram.values(command.inputs[1]),
                        b = sram.values(command.inputs[2]), out = sram.values(command.outputs[0]);
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], condition[i] != 0 ? a[i] : b[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SelectTest, testing::ValuesIn(kTypes));

TEST(SelectCheckTest, RejectsHostileOperands) {
  Random random(1);
  TestSram sram;
  auto map = [&](DataType type) { return sram.map(type, 2, 3, 4, Placement::Dense, random); };
  DspCommand legal;
  legal.kernel = *dspKernelNumber("select");
  legal.inputs = {map(DataType::Bool8), map(DataType::Int16), map(DataType::Int16)};
  legal.outputs = {map(DataType::Int16)};
  auto accepts = [&](auto &&change) {
    DspCommand command = legal;
    change(command);
    return findKernel(command)->check(*testTarget(), command).isOk();
  };
  EXPECT_TRUE(accepts([](DspCommand &) {}));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.parameters = {0}; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.inputs[0].type = DataType::UInt8; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.inputs[2].type = DataType::UInt16; }));
  EXPECT_FALSE(accepts([](DspCommand &c) { c.inputs.pop_back(); }));
  for (uint32_t input : {0u, 1u, 2u})
    EXPECT_FALSE(accepts([&](DspCommand &c) { c.inputs[input].channels = 3; }));
}

} // namespace
} // namespace avocet::kernels
