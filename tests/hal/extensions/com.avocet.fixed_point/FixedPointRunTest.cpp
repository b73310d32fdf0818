//===- FixedPointRunTest.cpp - Results of com.avocet.fixed_point ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every result must have exactly the bits of the reference, on the simulated device, on the CPU and through the
// service.
//
//===----------------------------------------------------------------------===//

#include "FixedPointFixture.h"

#include <gmock/gmock.h>

#include <random>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using FixedPointRunTest = FixedPointFixture;

/// Floats around the steps and the limits of a format.
std::vector<float> interestingFloats() {
  std::vector<float> values = {-1e30f, -1e9f, -0.0f, 0.0f, 1e9f, 1e30f, 1e-30f};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> mantissa(-1, 1);
  for (int exponent = -12; exponent < 12; ++exponent)
    for (int i = 0; i < 20; ++i)
      values.push_back(std::ldexp(mantissa(random), exponent));
  for (int half = -260; half <= 260; ++half)
    values.push_back(static_cast<float>(half) / 32);
  return values;
}

TEST_P(FixedPointRunTest, SupportsEachOperation) {
  for (const Model &model : {convertModel(realInput(4), realOutput(4, 2)),
                             hardSigmoidModel(realInput(4, 1), realOutput(4, 2), 0.2f, 0.5f)}) {
    auto supported = device_->getSupportedOperations(model);
    ASSERT_TRUE(supported.isOk()) << supported.error().message;
    EXPECT_THAT(supported->supported, ElementsAre(true)) << supported->reasons[0].rule;
  }
}

TEST_P(FixedPointRunTest, ConvertsFloatsToNearestFixed) {
  const std::vector<float> input = interestingFloats();
  const auto count = static_cast<uint32_t>(input.size());
  for (int bits : {-16, -3, 0, 4, 7, 23}) {
    std::vector<int8_t> expected;
    for (float value : input)
      expected.push_back(storedOf(value, bits));
    EXPECT_THAT(run<int8_t>(convertModel(realInput(count), realOutput(count, bits)), input), ElementsAreArray(expected))
        << bits;
  }
}

TEST_P(FixedPointRunTest, ConvertsEveryFixedNumber) {
  for (int bits : {-16, 0, 5, 23}) {
    std::vector<float> reals;
    std::vector<int8_t> narrower;
    for (int8_t stored : everyInt8()) {
      reals.push_back(static_cast<float>(realOf(stored, bits)));
      narrower.push_back(storedOf(realOf(stored, bits), bits - 1));
    }
    EXPECT_THAT(run<float>(convertModel(realInput(256, bits), realOutput(256)), everyInt8()), ElementsAreArray(reals));
    if (bits > fixedpoint::kMinFractionBits)
      EXPECT_THAT(run<int8_t>(convertModel(realInput(256, bits), realOutput(256, bits - 1)), everyInt8()),
                  ElementsAreArray(narrower));
  }
}

TEST_P(FixedPointRunTest, HardSigmoidHasBitsOfReference) {
  const std::vector<float> input = interestingFloats();
  const auto count = static_cast<uint32_t>(input.size());
  for (auto [alpha, beta] : {std::pair(0.2f, 0.5f), {1 / 6.0f, 0.5f}, {-0.7f, 0.3f}, {0.0f, 2.0f}}) {
    std::vector<float> expected;
    for (float value : input)
      expected.push_back(hardSigmoid(value, alpha, beta));
    EXPECT_THAT(run<float>(hardSigmoidModel(realInput(count), realOutput(count), alpha, beta), input),
                ElementsAreArray(expected));
  }
}

TEST_P(FixedPointRunTest, HardSigmoidOfFixedHasBitsOfReference) {
  std::vector<int8_t> expected;
  for (int8_t stored : everyInt8())
    expected.push_back(storedOf(hardSigmoid(static_cast<float>(realOf(stored, 4)), 0.2f, 0.5f), 7));
  EXPECT_THAT(run<int8_t>(hardSigmoidModel(realInput(256, 4), realOutput(256, 7), 0.2f, 0.5f), everyInt8()),
              ElementsAreArray(expected));
}

TEST_P(FixedPointRunTest, RunsWithShapesGivenByRequest) {
  Model model = convertModel(realInput(0), realOutput(0, 4));
  std::shared_ptr<IPreparedModel> prepared = prepare(model);
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(12), outputs(3);
  inputs.as<float>()[1] = 0.5f;
  Request request = requestOf({12}, {3}, inputs, outputs);
  request.inputs[0].dimensions = {3};
  EXPECT_TRUE(prepared->execute(request, {}).isOk());
  EXPECT_THAT(outputs.as<int8_t>(), ElementsAre(0, 8, 0));
}

TEST_P(FixedPointRunTest, RefusesRequestOfWrongLength) {
  std::shared_ptr<IPreparedModel> prepared = prepare(convertModel(realInput(4, 2), realOutput(4)));
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(5), outputs(16);
  EXPECT_EQ(prepared->execute(requestOf({5}, {16}, inputs, outputs), {}).status, ErrorStatus::InvalidArgument);
}

TEST_P(FixedPointRunTest, CachedModelHasSameResults) {
  const Model model = hardSigmoidModel(realInput(256, 4), realOutput(256, 7), 0.3f, 0.4f);
  PrepareOptions options;
  options.cache = {{openFile("model")}, {openFile("data")}, CacheToken{1}};
  std::shared_ptr<IPreparedModel> first = prepare(model, options);
  ASSERT_NE(first, nullptr);
  const RunResult<int8_t> before = runModel<int8_t>(*first, everyInt8());
  first.reset();
  open();
  auto loaded = device_->prepareModelFromCache({}, options.cache);
  ASSERT_TRUE(loaded.isOk()) << loaded.error().message;
  const RunResult<int8_t> after = runModel<int8_t>(**loaded, everyInt8());
  ASSERT_TRUE(before.outcome.isOk() && after.outcome.isOk()) << before.outcome.message << after.outcome.message;
  EXPECT_EQ(before.values, after.values);
}

/// A buffer for values of one format holds no values of another one, which would be other numbers.
TEST_P(FixedPointRunTest, BuffersKeepFormatsApart) {
  std::shared_ptr<IPreparedModel> producer = prepare(convertModel(realInput(4), realOutput(4, 2)));
  std::shared_ptr<IPreparedModel> same = prepare(convertModel(realInput(4, 2), realOutput(4)));
  std::shared_ptr<IPreparedModel> other = prepare(convertModel(realInput(4, 3), realOutput(4)));
  ASSERT_TRUE(producer && same && other);
  EXPECT_TRUE(device_->allocate({}, {{same, 0, 1}}, {{producer, 0, 1}}).isOk());
  EXPECT_EQ(device_->allocate({}, {{other, 0, 1}}, {{producer, 0, 1}}).code(), ErrorStatus::InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Devices, FixedPointRunTest, ::testing::ValuesIn(kEverywhere), nameOf);

} // namespace
} // namespace avocet::hal
