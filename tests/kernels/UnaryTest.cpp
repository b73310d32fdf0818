//===- UnaryTest.cpp - Functions of single elements ----------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Unary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace avocet::kernels {
namespace {

using namespace firmware;

DspCommand unaryCommand(const UnaryParameters &parameters) {
  DspCommand command;
  command.kernel = *dspKernelNumber("unary");
  command.parameters = packParameters(parameters);
  return command;
}

using RealFunction = double (*)(double);
using FunctionCase = std::pair<UnaryFunction, RealFunction>;

/// Fills with positive numbers if the function requires them.
void fillFor(UnaryFunction function, const FeatureMap &in, TestSram &sram, Random &random) {
  sram.fill(in, random);
  bool positive = function == UnaryFunction::Sqrt || function == UnaryFunction::Rsqrt || function == UnaryFunction::Log;
  std::vector<double> values = sram.values(in);
  for (double &value : values)
    value = positive ? std::abs(value) + 0.01f : value;
  sram.setValues(in, values);
}

void expectFunctions(std::span<const FunctionCase> cases, DataType type, double tolerance) {
  auto target = testTarget();
  for (const auto &[function, real] : cases) {
    Random random(1);
    TestSram sram;
    FeatureMap in = sram.map(type, 3, 4, 5, Placement::Scattered, random);
    FeatureMap out = sram.map(type, 3, 4, 5, Placement::Scattered, random);
    fillFor(function, in, sram, random);
    DspCommand command = unaryCommand({function, -0.5f, 0.75f});
    command.inputs = {in};
    command.outputs = {out};
    checkAndRun(*target, command, sram);
    std::vector<double> inputs = sram.values(in), outputs = sram.values(out);
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_NEAR(outputs[i], real(inputs[i]), tolerance * std::max(1.0, std::abs(outputs[i])));
  }
}

std::vector<double> unaryOf(UnaryFunction function, DataType type, const std::vector<double> &values) {
  Random random(1);
  TestSram sram;
  auto count = static_cast<uint32_t>(values.size());
  FeatureMap in = sram.map(type, 1, 1, count, Placement::Dense, random);
  FeatureMap out = sram.map(type, 1, 1, count, Placement::Dense, random);
  sram.setValues(in, values);
  DspCommand command = unaryCommand({function});
  command.inputs = {in};
  command.outputs = {out};
  checkAndRun(*testTarget(), command, sram);
  return sram.values(out);
}

TEST(UnaryTest, EqualsTheLibraryFunctions) {
  const FunctionCase kCases[] = {
      {UnaryFunction::Logistic, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {UnaryFunction::Tanh, [](double x) { return std::tanh(x); }},
      {UnaryFunction::Exp, [](double x) { return std::exp(x); }},
      {UnaryFunction::Abs, [](double x) { return std::abs(x); }},
      {UnaryFunction::Neg, [](double x) { return -x; }},
      {UnaryFunction::Sqrt, [](double x) { return std::sqrt(x); }},
      {UnaryFunction::Rsqrt, [](double x) { return 1 / std::sqrt(x); }},
      {UnaryFunction::HardSwish, [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
      {UnaryFunction::Clamp, [](double x) { return std::clamp(x, -0.5, 0.75); }},
      {UnaryFunction::Floor, [](double x) { return std::floor(x); }},
      {UnaryFunction::Log, [](double x) { return std::log(x); }},
      {UnaryFunction::Sin, [](double x) { return std::sin(x); }},
      {UnaryFunction::Elu, [](double x) { return x < 0 ? -0.5 * (std::exp(x) - 1) : x; }},
      {UnaryFunction::Cos, [](double x) { return std::cos(x); }},
      {UnaryFunction::Ceil, [](double x) { return -std::floor(-x); }},
      {UnaryFunction::Round, [](double x) { return x - std::remainder(x, 1); }},
      {UnaryFunction::Sign, [](double x) { return x == 0 ? 0 : std::copysign(1.0, x); }},
      {UnaryFunction::Square, [](double x) { return x * x; }},
      {UnaryFunction::Gelu, [](double x) { return x * (1 + std::erf(x / std::sqrt(2))) / 2; }},
      {UnaryFunction::GeluTanh,
       [](double x) { return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x))); }},
      {UnaryFunction::LeakyRelu, [](double x) { return x < 0 ? -0.5 * x : x; }},
      {UnaryFunction::Erf, [](double x) { return std::erf(x); }},
  };
  static_assert(std::size(kCases) == kNumUnaryFunctions - 1, "all but LogicalNot");
  expectFunctions(kCases, DataType::Float32, 1e-5);
  expectFunctions(kCases, DataType::Float16, 1.0 / 1024);
}

TEST(UnaryTest, IntegersWrapAround) {
  constexpr double kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(unaryOf(UnaryFunction::Abs, DataType::Int32, {5, -7, 0, kLeast}), (std::vector<double>{5, 7, 0, kLeast}));
  EXPECT_EQ(unaryOf(UnaryFunction::Neg, DataType::Int32, {5, -7, 0, kLeast}), (std::vector<double>{-5, 7, 0, kLeast}));
  EXPECT_EQ(unaryOf(UnaryFunction::Abs, DataType::Int16, {-7, -32768}), (std::vector<double>{7, -32768}));
  EXPECT_EQ(unaryOf(UnaryFunction::Neg, DataType::Int64, {0x1p40, -3}), (std::vector<double>{-0x1p40, 3}));
  EXPECT_EQ(unaryOf(UnaryFunction::Sign, DataType::Int32, {kLeast, 0, 9}), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(unaryOf(UnaryFunction::Square, DataType::Int32, {65537, -3}), (std::vector<double>{131073, 9}));
}

TEST(UnaryTest, RoundsHalvesToEven) {
  EXPECT_EQ(unaryOf(UnaryFunction::Round, DataType::Float32, {0.5, 1.5, -0.5, -2.5, 2.51}),
            (std::vector<double>{0, 2, 0, -2, 3}));
  EXPECT_FALSE(std::signbit(unaryOf(UnaryFunction::Round, DataType::Float32, {-0.5})[0]));
}

TEST(UnaryTest, LogicalNotAcceptsAnyByte) {
  EXPECT_EQ(unaryOf(UnaryFunction::LogicalNot, DataType::Bool8, {0, 1, 2, 255}), (std::vector<double>{1, 0, 0, 0}));
}

TEST(UnaryTest, OtherTypesAreRefused) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  for (uint32_t function = 0; function <= kNumUnaryFunctions; ++function)
    for (DataType type :
         {DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64, DataType::Bool8, DataType::Float16}) {
      DspCommand command = unaryCommand({static_cast<UnaryFunction>(function), 0, 1});
      command.inputs = command.outputs = {sram.map(type, 1, 1, 4, Placement::Dense, random)};
      auto is = [&](UnaryFunction other) { return function == static_cast<uint32_t>(other); };
      bool isNot = is(UnaryFunction::LogicalNot), isReal = function < kNumUnaryFunctions && !isNot;
      bool takesIntegers =
          is(UnaryFunction::Abs) || is(UnaryFunction::Neg) || is(UnaryFunction::Sign) || is(UnaryFunction::Square);
      bool isInteger = type == DataType::Int16 || type == DataType::Int32 || type == DataType::Int64;
      bool legal =
          (type == DataType::Float16 && isReal) || (isInteger && takesIntegers) || (type == DataType::Bool8 && isNot);
      EXPECT_EQ(findKernel(command)->check(*target, command).isOk(), legal) << function << " " << toString(type);
    }
}

} // namespace
} // namespace avocet::kernels
