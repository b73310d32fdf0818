//===- UnaryTest.cpp - Functions of single elements ----------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"
#include "RealFunctions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

DspCommand unaryCommand(const UnaryParameters &parameters) {
  DspCommand command;
  command.kernel = *dspKernelNumber("unary");
  command.parameters = packParameters(parameters);
  return command;
}

/// Fills with positive numbers if the function requires them.
void fillFor(const RealFunction &function, const FeatureMap &in, TestSram &sram, Random &random) {
  sram.fill(in, random);
  std::vector<double> values = sram.values(in);
  for (double &value : values)
    value = function.isDefinedBelowZero() ? value : std::abs(value) + 0.01f;
  sram.setValues(in, values);
}

void expectFunctions(DataType type, double tolerance) {
  auto target = testTarget();
  for (const RealFunction &function : kRealFunctions) {
    Random random(1);
    TestSram sram;
    FeatureMap in = sram.map(type, 3, 4, 5, Placement::Scattered, random);
    FeatureMap out = sram.map(type, 3, 4, 5, Placement::Scattered, random);
    fillFor(function, in, sram, random);
    DspCommand command = unaryCommand({function.function, -0.5f, 0.75f});
    command.inputs = {in};
    command.outputs = {out};
    checkAndRun(*target, command, sram);
    std::vector<double> inputs = sram.values(in), outputs = sram.values(out);
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_NEAR(outputs[i], function.real(inputs[i]), tolerance * std::max(1.0, std::abs(outputs[i])));
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
  expectFunctions(DataType::Float32, 1e-5);
  expectFunctions(DataType::Float16, 1.0 / 1024);
}

TEST(UnaryTest, IntegersWrapAround) {
  constexpr double kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(unaryOf(UnaryFunction::Abs, DataType::Int32, {5, -7, 0, kLeast}), (std::vector<double>{5, 7, 0, kLeast}));
  EXPECT_EQ(unaryOf(UnaryFunction::Neg, DataType::Int32, {5, -7, 0, kLeast}), (std::vector<double>{-5, 7, 0, kLeast}));
  EXPECT_EQ(unaryOf(UnaryFunction::Abs, DataType::Int16, {-7, -32768}), (std::vector<double>{7, -32768}));
  EXPECT_EQ(unaryOf(UnaryFunction::Neg, DataType::Int64, {0x1p40, -3}), (std::vector<double>{-0x1p40, 3}));
  EXPECT_EQ(unaryOf(UnaryFunction::Sign, DataType::Int32, {kLeast, 0, 9}), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(unaryOf(UnaryFunction::Square, DataType::Int32, {65537, -3}), (std::vector<double>{131073, 9}));
  EXPECT_EQ(unaryOf(UnaryFunction::LeadingZeros, DataType::Int32, {kLeast, -1, 0, 1, 0x1p30}),
            (std::vector<double>{0, 0, 32, 31, 1}));
  EXPECT_EQ(unaryOf(UnaryFunction::LeadingZeros, DataType::Int16, {0, 255, -2}), (std::vector<double>{16, 8, 0}));
  EXPECT_EQ(unaryOf(UnaryFunction::LeadingZeros, DataType::Int64, {0, 0x1p40}), (std::vector<double>{64, 23}));
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
      bool isNot = is(UnaryFunction::LogicalNot), isCount = is(UnaryFunction::LeadingZeros);
      bool isReal = function < kNumUnaryFunctions && !isNot && !isCount;
      bool takesIntegers = isCount || is(UnaryFunction::Abs) || is(UnaryFunction::Neg) || is(UnaryFunction::Sign) ||
                           is(UnaryFunction::Square);
      bool isInteger = type == DataType::Int16 || type == DataType::Int32 || type == DataType::Int64;
      bool legal =
          (type == DataType::Float16 && isReal) || (isInteger && takesIntegers) || (type == DataType::Bool8 && isNot);
      EXPECT_EQ(findKernel(command)->check(*target, command).isOk(), legal) << function << " " << toString(type);
    }
}

} // namespace
} // namespace avocet::kernels
