//===- FixedPointAttributesTest.cpp - Attributes of com.avocet.fixed_point -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedPointFixture.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using fixedpoint::Rounding;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using FixedPointAttributesTest = FixedPointFixture;

/// Another prefix than that of the model.
constexpr uint16_t kHintPrefix = 12;

TokenValuePair hint(uint16_t number, std::vector<uint8_t> value, uint16_t prefix = kHintPrefix) {
  return {static_cast<int32_t>(uint32_t{prefix} << 16 | number), std::move(value)};
}

template <typename Options> Options with(TokenValuePair given) {
  Options options;
  options.hints = {std::move(given)};
  options.extensionNameToPrefix = {{std::string(fixedpoint::kName), kHintPrefix}};
  return options;
}

PrepareOptions rounding(uint8_t value) { return with<PrepareOptions>(hint(fixedpoint::kRounding, {value})); }

ExecutionOptions timeLimit(int64_t nanoseconds) {
  std::vector<uint8_t> bytes(sizeof(nanoseconds));
  std::memcpy(bytes.data(), &nanoseconds, bytes.size());
  return with<ExecutionOptions>(hint(fixedpoint::kTimeLimit, std::move(bytes)));
}

const std::vector<float> kHalves = {-1.25f, -0.5f, -0.25f, 0.25f, 0.75f, 1.0f, 500.0f, -500.0f};

Model halvesModel() {
  const auto count = static_cast<uint32_t>(kHalves.size());
  return convertModel(realInput(count), realOutput(count, 1));
}

std::vector<int8_t> expected(Rounding rounding) {
  std::vector<int8_t> stored;
  for (float value : kHalves)
    stored.push_back(storedOf(value, 1, rounding));
  return stored;
}

/// Also that the driver's cache of compilations keeps them apart.
TEST_P(FixedPointAttributesTest, RoundingReachesTheCompiler) {
  ASSERT_NE(expected(Rounding::Down), expected(Rounding::Nearest));
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_THAT(run<int8_t>(halvesModel(), kHalves), ElementsAreArray(expected(Rounding::Nearest)));
    EXPECT_THAT(run<int8_t>(halvesModel(), kHalves, rounding(1)), ElementsAreArray(expected(Rounding::Down)));
    EXPECT_THAT(run<int8_t>(halvesModel(), kHalves, rounding(0)), ElementsAreArray(expected(Rounding::Nearest)));
  }
}

TEST_P(FixedPointAttributesTest, CacheFilesKeepTheRounding) {
  PrepareOptions options = rounding(1);
  options.cache = {{openFile("model")}, {openFile("data")}, CacheToken{1}};
  ASSERT_NE(prepare(halvesModel(), options), nullptr);
  open();
  auto loaded = device_->prepareModelFromCache({}, options.cache);
  ASSERT_TRUE(loaded.isOk()) << loaded.error().message;
  EXPECT_THAT(runModel<int8_t>(**loaded, kHalves).values, ElementsAreArray(expected(Rounding::Down)));
}

TEST_P(FixedPointAttributesTest, RefusesInvalidValues) {
  PrepareOptions empty = rounding(0);
  empty.hints[0].value.clear();
  PrepareOptions twice = rounding(0);
  twice.hints.push_back(twice.hints[0]);
  const auto ofExecutions = with<PrepareOptions>(hint(fixedpoint::kTimeLimit, std::vector<uint8_t>(8)));
  for (const PrepareOptions &options : {rounding(2), empty, twice, ofExecutions})
    EXPECT_EQ(device_->prepareModel(halvesModel(), options).code(), ErrorStatus::InvalidArgument);
}

TEST_P(FixedPointAttributesTest, RefusesInvalidPrefixes) {
  PrepareOptions unlisted = rounding(0), zero = rounding(0), twice = rounding(0), high = rounding(0);
  unlisted.extensionNameToPrefix.clear();
  zero.extensionNameToPrefix.push_back({"com.example.zero", 0});
  twice.extensionNameToPrefix.push_back({"com.example.twice", kHintPrefix});
  high.extensionNameToPrefix.push_back({"com.example.high", 0x8000});
  std::shared_ptr<IPreparedModel> prepared = prepare(halvesModel());
  ASSERT_NE(prepared, nullptr);
  for (const PrepareOptions &options : {unlisted, zero, twice, high}) {
    EXPECT_EQ(device_->prepareModel(halvesModel(), options).code(), ErrorStatus::InvalidArgument);
    ExecutionOptions execution;
    execution.hints = options.hints;
    execution.extensionNameToPrefix = options.extensionNameToPrefix;
    EXPECT_EQ(runModel<int8_t>(*prepared, kHalves, execution).outcome.status, ErrorStatus::InvalidArgument);
  }
}

TEST_P(FixedPointAttributesTest, IgnoresUnknownAttributes) {
  PrepareOptions options = rounding(1);
  options.extensionNameToPrefix.push_back({"com.example.unknown", 5});
  options.hints.push_back(hint(fixedpoint::kRounding, {77}, 5));
  options.hints.push_back(hint(999, {77}));
  options.hints.push_back({3, {1}}); // without a prefix
  EXPECT_THAT(run<int8_t>(halvesModel(), kHalves, options), ElementsAreArray(expected(Rounding::Down)));
}

TEST_P(FixedPointAttributesTest, TimeLimitBoundsAnExecution) {
  std::shared_ptr<IPreparedModel> prepared = prepare(halvesModel());
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(runModel<int8_t>(*prepared, kHalves, timeLimit(0)).outcome.status, ErrorStatus::MissedDeadlinePersistent);
  EXPECT_TRUE(runModel<int8_t>(*prepared, kHalves, timeLimit(INT64_MAX)).outcome.isOk());
  const auto tooShort = with<ExecutionOptions>(hint(fixedpoint::kTimeLimit, {1, 2}));
  const auto ofCompilations = with<ExecutionOptions>(hint(fixedpoint::kRounding, {1}));
  for (const ExecutionOptions &options : {tooShort, timeLimit(-1), ofCompilations})
    EXPECT_EQ(runModel<int8_t>(*prepared, kHalves, options).outcome.status, ErrorStatus::InvalidArgument);
}

TEST_P(FixedPointAttributesTest, TimeLimitHoldsForReusableExecutions) {
  std::shared_ptr<IPreparedModel> prepared = prepare(halvesModel());
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(kHalves.size() * sizeof(float)), outputs(kHalves.size());
  const Request request = requestOf({inputs.bytes().size()}, {outputs.bytes().size()}, inputs, outputs);
  auto never = prepared->createReusableExecution(request, timeLimit(0));
  auto always = prepared->createReusableExecution(request, timeLimit(INT64_MAX));
  ASSERT_TRUE(never.isOk() && always.isOk());
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_EQ((*never)->compute({}).status, ErrorStatus::MissedDeadlinePersistent);
    EXPECT_TRUE((*always)->compute({}).isOk());
  }
  EXPECT_EQ(prepared->createReusableExecution(request, timeLimit(-1)).code(), ErrorStatus::InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Devices, FixedPointAttributesTest, ::testing::ValuesIn(kEverywhere), nameOf);

} // namespace
} // namespace avocet::hal
