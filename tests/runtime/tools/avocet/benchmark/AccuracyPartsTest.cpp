//===- AccuracyPartsTest.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "benchmark/NetworkBenchmark.h"
#include "benchmark/OutputError.h"
#include "benchmark/Requirement.h"
#include "classify/Accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace avocet::tool {
namespace {

using firmware::DataType;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int32_t kShape[] = {1, 4};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A tensor of four values with scale 0.5 and zero point 3 if it has integers.
cache::OperandView operandOf(DataType type) {
  static constexpr float kScales[] = {0.5f};
  static constexpr int32_t kZeroPoints[] = {3};
  cache::OperandView operand{"scores", type, kShape, 4 * sizeOf(type), {}, {}, -1};
  if (type == DataType::Int8) {
    operand.scales = kScales;
    operand.zeroPoints = kZeroPoints;
  }
  return operand;
}

template <typename T> std::vector<uint8_t> bytesOf(std::initializer_list<T> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

template <typename T>
OutputError errorOf(DataType type, std::initializer_list<T> actual, std::initializer_list<T> wanted) {
  OutputError error;
  error.add(operandOf(type), bytesOf(actual), bytesOf(wanted));
  return error;
}

TEST(DistributionTest, PercentilesAreMeasuredValues) {
  std::vector<double> values;
  for (int i = 200; i > 0; --i)
    values.push_back(i);
  const Distribution each = distributionOf(values);
  EXPECT_EQ(each.count, 200u);
  EXPECT_EQ(each.least, 1);
  EXPECT_EQ(each.p50, 100);
  EXPECT_EQ(each.p90, 180);
  EXPECT_EQ(each.p99, 198);
  EXPECT_EQ(each.most, 200);
  EXPECT_EQ(each.mean, 100.5);
}

TEST(DistributionTest, OneValueIsEveryPercentile) {
  const Distribution each = distributionOf({7});
  EXPECT_EQ(each.p50, 7);
  EXPECT_EQ(each.p99, 7);
  EXPECT_EQ(distributionOf({}).count, 0u);
}

TEST(DistributionTest, GeometricMeanOfRatios) {
  EXPECT_DOUBLE_EQ(geometricMean({0.5, 8}), 2);
  EXPECT_EQ(geometricMean({}), 0);
}

TEST(OutputErrorTest, EqualValuesHaveNoError) {
  const OutputError error = errorOf<int8_t>(DataType::Int8, {1, 2, 3, 4}, {1, 2, 3, 4});
  EXPECT_EQ(error.equalCases(), 1u);
  EXPECT_EQ(error.inside(), 1);
  EXPECT_EQ(error.maxError(), 0);
  EXPECT_DOUBLE_EQ(error.cosine(), 1);
  EXPECT_EQ(error.psnr(), std::nullopt);
}

TEST(OutputErrorTest, IntegersMayDifferByOneStep) {
  const OutputError error = errorOf<int8_t>(DataType::Int8, {4, 2, 3, 7}, {3, 2, 3, 5});
  EXPECT_EQ(error.outside(), 1u);
  EXPECT_EQ(error.inside(), 0.75);
  EXPECT_EQ(error.maxError(), 1);                // two steps of 0.5
  EXPECT_DOUBLE_EQ(error.bias(), (0.5 + 1) / 4); // of real values
  EXPECT_DOUBLE_EQ(error.meanSquare(), (0.25 + 1) / 4);
  EXPECT_DOUBLE_EQ(error.psnr().value(), 10 * std::log10(1.5 * 1.5 / 0.3125)); // expected from -0.5 to 1
  EXPECT_EQ(error.equalCases(), 0u);
  EXPECT_EQ(error.sameLargest(), 1u);
}

TEST(OutputErrorTest, FloatsHaveRelativeTolerance) {
  EXPECT_EQ(errorOf<float>(DataType::Float32, {1000.0005f, 1e-5f, 0, 0}, {1000, 0, 0, 0}).outside(), 0u);
  EXPECT_EQ(errorOf<float>(DataType::Float32, {1000.001f, 1.1e-5f, 0, 0}, {1000, 0, 0, 0}).outside(), 2u);
}

TEST(OutputErrorTest, BooleansHaveNoTolerance) {
  EXPECT_EQ(errorOf<uint8_t>(DataType::Bool8, {0, 1, 1, 0}, {0, 1, 0, 0}).outside(), 1u);
}

TEST(OutputErrorTest, NotFiniteValuesAreAlwaysOutside) {
  const OutputError error = errorOf<float>(DataType::Float32, {kInfinity, 2, NAN, 1}, {kInfinity, 2, 1, 1});
  EXPECT_EQ(error.notFinite(), 2u);
  EXPECT_EQ(error.outside(), 2u);
  EXPECT_EQ(error.maxError(), 0);
  EXPECT_DOUBLE_EQ(error.cosine(), 1);
}

TEST(OutputErrorTest, LargestValueElsewhereIsCounted) {
  EXPECT_EQ(errorOf<float>(DataType::Float32, {1, 2, 3, 4}, {1, 2, 5, 4}).sameLargest(), 0u);
}

TEST(LabelScoreTest, CountsBestAndBestFive) {
  static constexpr int32_t kSeven[] = {7};
  const cache::OperandView operand{"scores", DataType::Float32, kSeven, 7 * sizeof(float), {}, {}, -1};
  const auto scores = bytesOf<float>({7, 6, 5, 4, 3, 2, 3});
  LabelScore score(7);
  for (size_t label : {0u, 4u, 6u, 5u}) // 4 and 6 have equal scores, and 4 is the better one
    score.add(operand, scores, label);
  EXPECT_EQ(score.count(), 4u);
  EXPECT_EQ(score.top1(), 0.25);
  EXPECT_EQ(score.top5(), 0.5);
  EXPECT_EQ(score.matrix().count(6, 0), 1u);
}

/// Two networks: one with goldens and labels, one compared with the CPU only.
std::vector<NetworkResult> networks() {
  NetworkResult labeled, plain;
  labeled.name = "labeled";
  plain.name = "plain";
  labeled.devices.resize(2);
  plain.devices.resize(2);
  for (NetworkResult *network : {&labeled, &plain}) {
    network->devices[0].name = "cpu";
    network->devices[1].name = "npu";
  }
  for (DeviceResult &device : labeled.devices) {
    device.labels.emplace(4);
    device.labels->add(operandOf(DataType::Float32), bytesOf<float>({1, 2, 3, 4}), 3);
  }
  labeled.devices[1].labels->add(operandOf(DataType::Float32), bytesOf<float>({1, 2, 3, 4}), 0);
  labeled.devices[1].golden = {{errorOf<int8_t>(DataType::Int8, {3, 3, 3, 9}, {3, 3, 3, 3})}, 1};
  plain.devices[1].reference = {{errorOf<int8_t>(DataType::Int8, {1, 2, 3, 4}, {1, 2, 3, 4})}, 1};
  return {labeled, plain};
}

std::vector<std::string> brokenBy(const std::string &text) {
  return brokenRequirements({parseRequirement(text).value()}, networks());
}

TEST(RequirementTest, NamesNetworkAndDeviceBelowTheLimit) {
  EXPECT_THAT(brokenBy("top1=75"), ElementsAre("labeled on npu: top1 is 50, but must be at least 75"));
  EXPECT_THAT(brokenBy("top1=50"), ElementsAre());
  EXPECT_THAT(brokenBy("golden=80"), ElementsAre("labeled on npu: golden is 75, but must be at least 80"));
  EXPECT_THAT(brokenBy("cpu=100"), ElementsAre());
  EXPECT_THAT(brokenBy("max-error=2.9"), ElementsAre("labeled on npu: max-error is 3, but must be at most 2.9"));
}

TEST(RequirementTest, ErrorWithoutRangeHasNoPsnr) {
  EXPECT_THAT(brokenBy("psnr=1"), ElementsAre(HasSubstr("labeled on npu: psnr is -inf")));
}

TEST(RequirementTest, FigureThatNobodyHasIsBroken) {
  std::vector<NetworkResult> plain = networks();
  plain.erase(plain.begin());
  EXPECT_THAT(brokenRequirements({{"top1", 1}}, plain), ElementsAre(HasSubstr("no network has the figure top1")));
  EXPECT_THAT(brokenRequirements({{"psnr", 1}}, {}), ElementsAre(HasSubstr("no network has the figure psnr")));
}

TEST(RequirementTest, RefusesUnknownFiguresAndNumbers) {
  EXPECT_THAT(parseRequirement("top2=1").status().message(),
              HasSubstr("'top2' is no figure of a benchmark; these are"));
  for (const char *text : {"top1", "top1=", "top1=9x", "top1=nan", "top1=inf"})
    EXPECT_EQ(parseRequirement(text).status().code(), StatusCode::InvalidArgument) << text;
}

} // namespace
} // namespace avocet::tool
