//===- SpecialNumbersTest.cpp - Maxima and clamps of infinities and NaN ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both float types in each kernel that compares. Rows are longer than a vector, and end with a part of one.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/Window.h"

#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Pair {
  double a, b, larger, smaller;
};
constexpr Pair kPairs[] = {{kNan, 1, kNan, kNan},      {1, kNan, kNan, kNan}, {kNan, kNan, kNan, kNan},
                           {kInf, 2, kInf, 2},         {-kInf, 2, 2, -kInf},  {-kInf, -kInf, -kInf, -kInf},
                           {kInf, -kInf, kInf, -kInf}, {3, -4, 3, -4}};
/// Each pair several times.
constexpr uint32_t kCount = 43;
const Pair &pairAt(size_t i) { return kPairs[i % std::size(kPairs)]; }

class SpecialNumbersTest : public testing::TestWithParam<DataType> {
protected:
  FeatureMap map(uint32_t height, uint32_t width, uint32_t channels) {
    return sram_.map(GetParam(), height, width, channels, Placement::Dense, random_);
  }

  /// One operand of all pairs.
  FeatureMap operand(double Pair::*member) {
    const FeatureMap numbers = map(1, 1, kCount);
    std::vector<double> values;
    for (uint32_t i = 0; i < kCount; ++i)
      values.push_back(pairAt(i).*member);
    sram_.setValues(numbers, values);
    return numbers;
  }

  /// The first of each pair in the upper row, the second in the lower one.
  FeatureMap bothRows() {
    const FeatureMap numbers = map(2, 1, kCount);
    std::vector<double> values;
    for (double Pair::*member : {&Pair::a, &Pair::b})
      for (uint32_t i = 0; i < kCount; ++i)
        values.push_back(pairAt(i).*member);
    sram_.setValues(numbers, values);
    return numbers;
  }

  void expectPairs(const CommandBody &command, const FeatureMap &output, double Pair::*member) {
    checkAndRun(*testTarget(), command, sram_);
    const std::vector<double> found = sram_.values(output);
    for (uint32_t i = 0; i < kCount; ++i) {
      const double expected = pairAt(i).*member;
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(found[i]) : found[i] == expected)
          << i << ": " << found[i] << ", expected " << expected;
    }
  }

  static Clamp unbounded() { return plainActivationClamp(Activation::kNone); }

  Random random_{1};
  TestSram sram_;
};

TEST_P(SpecialNumbersTest, BinaryMaximumAndMinimumKeepNan) {
  for (const auto &[kind, member] :
       {std::pair(BinaryKind::Maximum, &Pair::larger), {BinaryKind::Minimum, &Pair::smaller}}) {
    BinaryParameters parameters;
    parameters.kind = kind;
    parameters.clamp = unbounded();
    DspCommand command = dspCommand("binary", packParameters(parameters));
    command.inputs = {operand(&Pair::a), operand(&Pair::b)};
    command.outputs = {map(1, 1, kCount)};
    expectPairs(command, command.outputs[0], member);
  }
}

TEST_P(SpecialNumbersTest, ReductionsKeepNan) {
  for (const auto &[kind, member] : {std::pair(ReduceKind::Max, &Pair::larger), {ReduceKind::Min, &Pair::smaller}}) {
    ReduceParameters parameters;
    parameters.kind = kind;
    parameters.rank = 2;
    parameters.extents = {2, kCount};
    parameters.reducedAxes = 1;
    DspCommand command = dspCommand("reduce", packParameters(parameters));
    command.inputs = {map(1, 1, 2 * kCount)};
    sram_.setValues(command.inputs[0], sram_.values(bothRows()));
    command.outputs = {map(1, 1, kCount)};
    expectPairs(command, command.outputs[0], member);
  }
}

TEST_P(SpecialNumbersTest, PoolsOnTheDspKeepNan) {
  WindowPoolParameters parameters;
  parameters.kind = WindowPoolKind::Max;
  parameters.batch = 1;
  parameters.window.kernelHeight = parameters.window.strideHeight = 2;
  parameters.clamp = unbounded();
  DspCommand command = dspCommand("windowPool", packParameters(parameters));
  command.inputs = {bothRows()};
  command.outputs = {map(1, 1, kCount)};
  expectPairs(command, command.outputs[0], &Pair::larger);
}

TEST_P(SpecialNumbersTest, ActivationsByThemselvesKeepNanAndInfinities) {
  const Clamp clamp = plainActivationClamp(Activation::kRelu);
  DspCommand command =
      dspCommand("unary", packParameters(UnaryParameters{UnaryFunction::Clamp, std::bit_cast<float>(clamp.min),
                                                         std::bit_cast<float>(clamp.max)}));
  const FeatureMap input = map(1, 1, 5), output = map(1, 1, 5);
  sram_.setValues(input, {kInf, -kInf, kNan, 1, -1});
  command.inputs = {input};
  command.outputs = {output};
  checkAndRun(*testTarget(), command, sram_);
  const std::vector<double> found = sram_.values(output);
  EXPECT_EQ(found[0], kInf);
  EXPECT_EQ(found[1], 0);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_EQ(found[3], 1);
  EXPECT_EQ(found[4], 0);
}

INSTANTIATE_TEST_SUITE_P(Types, SpecialNumbersTest, testing::Values(DataType::Float16, DataType::Float32),
                         [](const auto &info) { return std::string(toString(info.param)); });

/// The array of the target has f32 only.
class ArraySpecialNumbersTest : public SpecialNumbersTest {};

TEST_P(ArraySpecialNumbersTest, MaximumAndMinimumKeepNan) {
  for (const auto &[kind, member] : {std::pair(EltwiseKind::Max, &Pair::larger), {EltwiseKind::Min, &Pair::smaller}}) {
    EltwiseCommand command;
    command.kind = kind;
    command.clamp = unbounded();
    command.inputA = operand(&Pair::a);
    command.inputB = operand(&Pair::b);
    command.output = map(1, 1, kCount);
    expectPairs(command, command.output, member);
  }
}

TEST_P(ArraySpecialNumbersTest, PoolsKeepNan) {
  PoolCommand command;
  command.kind = PoolKind::Max;
  command.window.kernelHeight = command.window.strideHeight = 2;
  command.clamp = unbounded();
  command.input = bothRows();
  command.output = map(1, 1, kCount);
  expectPairs(command, command.output, &Pair::larger);
}

INSTANTIATE_TEST_SUITE_P(Types, ArraySpecialNumbersTest, testing::Values(DataType::Float32),
                         [](const auto &info) { return std::string(toString(info.param)); });

} // namespace
} // namespace avocet::kernels
