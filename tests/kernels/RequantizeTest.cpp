//===- RequantizeTest.cpp - Multipliers of the network ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"
#include "RescaleFormula.h"

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Quantize.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace avocet::kernels {
namespace {

using namespace firmware;

/// Numbers of `bits` bits near the limits and near 0, those between at random.
std::vector<int64_t> numbersOf(int bits, Random &random) {
  const int64_t least = -(int64_t(1) << (bits - 1)), most = -least - 1;
  std::vector<int64_t> numbers{least, most, 0};
  for (int64_t i = 1; i < 4; ++i)
    for (int64_t near : {least + i, most - i, i, -i, i << (bits / 2), -(i << (bits / 2))})
      numbers.push_back(std::clamp(near, least, most));
  for (int i = 0; i < 40; ++i)
    numbers.push_back(std::uniform_int_distribution<int64_t>(least, most)(random));
  return numbers;
}

std::vector<int32_t> multipliersOf(int32_t most, Random &random) {
  std::vector<int32_t> multipliers{0, 1, 2, 3, 7, 1 << 14, most / 2, most / 2 + 1, most - 1, most};
  for (int i = 0; i < 10; ++i)
    multipliers.push_back(pick(random, 0, most));
  return multipliers;
}

TEST(RescaleFormulaTest, EqualsBothFormsForAllShifts) {
  Random random(3);
  for (int shift = 2; shift <= 62; ++shift)
    for (int32_t multiplier : multipliersOf(INT32_MAX, random))
      for (int64_t x : numbersOf(std::min(shift, 32), random)) {
        const auto value = static_cast<int32_t>(x);
        ASSERT_EQ(multiplyRounded(value, {multiplier, 31 - shift}, Rounding::Double),
                  tests::rescaledByFormula(x, multiplier, shift, true))
            << x << " * " << multiplier << " >> " << shift;
        ASSERT_EQ(multiplyRounded(value, {multiplier, 31 - shift}, Rounding::Single),
                  tests::rescaledByFormula(x, multiplier, shift, false))
            << x << " * " << multiplier << " >> " << shift;
        ASSERT_EQ(multiplyRounded(value, {multiplier, 31 - shift}, Rounding::Even),
                  tests::rescaledToEven(x, multiplier, shift))
            << x << " * " << multiplier << " >> " << shift;
      }
}

TEST(RescaleFormulaTest, EqualsTheWideFormForAllShifts) {
  Random random(4);
  for (int shift = 2; shift <= 62; ++shift)
    for (int32_t multiplier : multipliersOf(INT16_MAX, random))
      for (int64_t x : numbersOf(48, random)) {
        const int64_t expected = tests::rescaledByFormula(x, multiplier, shift, false);
        if (expected >= INT32_MIN && expected <= INT32_MAX)
          ASSERT_EQ(multiplyByQuantizedMultiplier64(x, multiplier << 16, 15 - shift), expected)
              << x << " * " << multiplier << " >> " << shift;
      }
}

/// Elements of a map as they are stored, without a conversion to floating point.
std::vector<int64_t> integersOf(TestSram &sram, const FeatureMap &map) {
  std::vector<int64_t> numbers;
  for (double value : sram.values(map))
    numbers.push_back(static_cast<int64_t>(value));
  return numbers;
}

struct Case {
  DataType from, to;
  Rounding rounding;
  bool hasRecords;
};

constexpr uint32_t kChannels = 13;

/// A command with random multipliers, which are returned, one for each channel.
DspCommand randomRequantize(const Case &of, TestSram &sram, Random &random, std::vector<Rescale> &factors) {
  const bool isWide = of.from == DataType::Int64;
  RequantizeParameters parameters;
  parameters.rounding = of.rounding;
  factors.resize(kChannels);
  for (Rescale &factor : factors)
    factor = {pick(random, 0, isWide ? INT16_MAX : INT32_MAX), pick(random, 33, isWide ? 62 : 48)};
  if (!of.hasRecords)
    factors.assign(kChannels, factors[0]);
  auto onDevice = [&](const Rescale &factor) {
    return isWide ? Rescale{factor.multiplier << 16, 15 - factor.shift} : Rescale{factor.multiplier, 31 - factor.shift};
  };
  if (!of.hasRecords) {
    parameters.multiplier = onDevice(factors[0]).multiplier;
    parameters.shift = onDevice(factors[0]).shift;
  }
  DspCommand command = dspCommand("requantize", packParameters(parameters));
  command.inputs = {sram.map(of.from, 3, 5, kChannels, Placement::Scattered, random)};
  command.outputs = {sram.map(of.to, 3, 5, kChannels, Placement::Scattered, random)};
  sram.fill(command.inputs[0], random);
  if (of.hasRecords) {
    command.inputs.push_back(sram.map(DataType::Int64, 1, 1, kChannels, Placement::Dense, random));
    for (uint32_t c = 0; c < kChannels; ++c)
      sram.at<int64_t>(command.inputs[1].address)[c] = packRescale(onDevice(factors[c]));
  }
  return command;
}

TEST(RequantizeKernelTest, EqualsTheFormulaOfTheNetwork) {
  auto target = testTarget();
  constexpr DataType kFrom[] = {DataType::Int8,   DataType::UInt8, DataType::Int16,
                                DataType::UInt16, DataType::Int32, DataType::Int64};
  constexpr DataType kTo[] = {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16, DataType::Int32};
  uint32_t seed = 0;
  for (DataType from : kFrom)
    for (DataType to : kTo)
      for (Rounding rounding : {Rounding::Double, Rounding::Single, Rounding::Even})
        for (bool hasRecords : {false, true}) {
          Random random(++seed);
          TestSram sram;
          std::vector<Rescale> factors;
          DspCommand command = randomRequantize({from, to, rounding, hasRecords}, sram, random, factors);
          FeatureMap &input = command.inputs[0], &output = command.outputs[0];
          input.zeroPoint = sizeOf(from) > 2 ? 0 : pick(random, 0, 100);
          output.zeroPoint = sizeOf(to) > 2 ? 0 : pick(random, 0, 100);
          checkAndRun(*target, command, sram);
          const std::vector<int64_t> before = integersOf(sram, input), after = integersOf(sram, output);
          const bool isDouble = rounding == Rounding::Double && from != DataType::Int64;
          const bool isEven = rounding == Rounding::Even && from != DataType::Int64;
          for (size_t i = 0; i < before.size(); ++i) {
            const Rescale &factor = factors[i % kChannels];
            const int64_t x = before[i] - input.zeroPoint;
            const int64_t value = isEven ? tests::rescaledToEven(x, factor.multiplier, factor.shift)
                                         : tests::rescaledByFormula(x, factor.multiplier, factor.shift, isDouble);
            ASSERT_EQ(after[i], std::clamp<int64_t>(value + output.zeroPoint, minValue(to), maxValue(to)))
                << toString(from) << " to " << toString(to) << ", element " << i << ": " << before[i];
          }
        }
}

std::string refusal(const DspCommand &command) {
  return std::string(findKernel(CommandBody(command))->check(*testTarget(), command).message());
}

TEST(RequantizeKernelTest, RefusesWhatItDoesNotDefine) {
  Random random(1);
  TestSram sram;
  std::vector<Rescale> factors;
  const DspCommand good =
      randomRequantize({DataType::Int32, DataType::Int8, Rounding::Single, true}, sram, random, factors);
  EXPECT_EQ(refusal(good), "");
  DspCommand command = good;
  command.inputs[1].channels = 7;
  EXPECT_THAT(refusal(command), testing::HasSubstr("output0.channels"));
  command = good;
  command.inputs[1].type = DataType::Int32;
  EXPECT_THAT(refusal(command), testing::HasSubstr("input1"));
  command = good;
  command.parameters = packParameters(RequantizeParameters{1, 0});
  EXPECT_THAT(refusal(command), testing::HasSubstr("must be 0 with those of input1"));
  command = good;
  RequantizeParameters parameters;
  parameters.rounding = static_cast<Rounding>(static_cast<uint32_t>(Rounding::Even) + 1);
  command.parameters = packParameters(parameters);
  EXPECT_THAT(refusal(command), testing::HasSubstr("rounding"));
  command = good;
  command.outputs[0].type = DataType::Int64;
  EXPECT_THAT(refusal(command), testing::HasSubstr("output0"));
}

} // namespace
} // namespace avocet::kernels
