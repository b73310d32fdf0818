//===- GoldenTest.cpp - Whole networks against their goldens --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every network and every shipped target: compile, run all cases, compare. The first case also runs with timing:
// values must not depend on it, and cycles must not depend on whether values are computed. One test per network and
// target, so that they run in parallel.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "avocet/firmware_iface/Target.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <tuple>

namespace avocet::golden {
namespace {

class GoldenTest : public testing::TestWithParam<std::tuple<GoldenModel, std::string>> {
protected:
  const GoldenModel &model() const { return std::get<0>(GetParam()); }
  const std::string &target() const { return std::get<1>(GetParam()); }

  void check(Inference &inference, const GoldenCase &golden) const {
    Result<std::vector<Bytes>> outputs = inference.run(golden.inputs);
    ASSERT_TRUE(outputs.isOk()) << "case " << golden.id << ": " << outputs.status().toString();
    ASSERT_EQ(outputs->size(), golden.outputs.size());
    for (size_t i = 0; i < golden.outputs.size(); ++i)
      EXPECT_EQ(compare(model().rule, outputs.value()[i], golden.outputs[i], golden.sameArgmax), "")
          << "case " << golden.id << ", output " << i;
  }
};

TEST_P(GoldenTest, MatchesGoldens) {
  Result<std::vector<GoldenCase>> cases = loadCases(model());
  ASSERT_TRUE(cases.isOk()) << cases.status().toString();
  ASSERT_FALSE(cases->empty());
  Result<session::LoadedModel> compiled = compile(model().path, target());
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();

  Result<Inference> functional = Inference::open(*compiled, {.functional = true, .timing = false});
  ASSERT_TRUE(functional.isOk()) << functional.status().toString();
  for (const GoldenCase &golden : cases.value())
    ASSERT_NO_FATAL_FAILURE(check(functional.value(), golden));

  Result<Inference> both = Inference::open(*compiled, {.functional = true, .timing = true});
  ASSERT_TRUE(both.isOk()) << both.status().toString();
  ASSERT_NO_FATAL_FAILURE(check(both.value(), cases->front()));
  EXPECT_GT(both->cycles(), 0u);

  Result<Inference> timed = Inference::open(*compiled, {.functional = false, .timing = true});
  ASSERT_TRUE(timed.isOk()) << timed.status().toString();
  ASSERT_TRUE(timed->run(cases->front().inputs).isOk());
  EXPECT_EQ(timed->cycles(), both->cycles()) << "cycles must not depend on whether values are computed";
}

std::string testName(const testing::TestParamInfo<GoldenTest::ParamType> &info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest,
                         testing::Combine(testing::ValuesIn(goldenModels()),
                                          testing::ValuesIn(firmware::Target::shippedNames())),
                         testName);

class ThreadsTest : public testing::TestWithParam<GoldenModel> {};

/// On the target of the CPU device.
TEST_P(ThreadsTest, SeveralThreadsGiveTheBitsOfOne) {
  Result<std::vector<GoldenCase>> cases = loadCases(GetParam());
  ASSERT_TRUE(cases.isOk()) << cases.status().toString();
  Result<session::LoadedModel> compiled = compile(GetParam().path, "p4096");
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
  Result<Inference> one = Inference::open(*compiled, {.timing = false});
  ASSERT_TRUE(one.isOk()) << one.status().toString();
  for (const uint32_t threads : {2u, 3u}) {
    Result<Inference> several = Inference::open(*compiled, {.timing = false, .threads = threads});
    ASSERT_TRUE(several.isOk()) << several.status().toString();
    for (const GoldenCase &golden : cases.value()) {
      Result<std::vector<Bytes>> expected = one->run(golden.inputs), outputs = several->run(golden.inputs);
      ASSERT_TRUE(expected.isOk() && outputs.isOk());
      EXPECT_EQ(*outputs, *expected) << "case " << golden.id << ", " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ThreadsTest, testing::ValuesIn(goldenModels()),
                         [](const auto &info) { return info.param.name; });

TEST(GoldenData, CompareReportsOneWrongByte) {
  const Bytes golden = {1, 2, 3, 4};
  EXPECT_EQ(compare(Rule::Exact, golden, golden, false), "");
  EXPECT_EQ(compare(Rule::Exact, {1, 2, 7, 4}, golden, false), "1 of 4 bytes differ, the first at 2: 7, golden 3");
  EXPECT_EQ(compare(Rule::Exact, {1, 2, 3}, golden, false), "3 bytes, golden 4");
}

TEST(GoldenData, CompareAppliesFloatTolerance) {
  const auto bytesOf = [](std::array<float, 2> values) {
    Bytes bytes(sizeof(values));
    std::memcpy(bytes.data(), values.data(), sizeof(values));
    return bytes;
  };
  const Bytes golden = bytesOf({1.0f, 2.0f});
  EXPECT_EQ(compare(Rule::Float, bytesOf({1.00001f, 2.0f}), golden, true), "");
  EXPECT_NE(compare(Rule::Float, bytesOf({1.00003f, 2.0f}), golden, true), "");
  EXPECT_NE(compare(Rule::Float, bytesOf({1.0f, std::nanf("")}), golden, false), "");
  EXPECT_EQ(compare(Rule::Hybrid, bytesOf({1.1f, 2.1f}), golden, true), "");
  EXPECT_NE(compare(Rule::Hybrid, bytesOf({1.2f, 2.0f}), golden, true), "");
  EXPECT_NE(compare(Rule::Hybrid, bytesOf({2.1f, 2.0f}), golden, true), "");
}

TEST(GoldenData, SharedModelsAreFound) {
  if (std::string_view(AVOCET_SHARED_DATA).empty())
    GTEST_SKIP() << "AVOCET_SHARED_DATA is not set: only the digits networks are compared with goldens";
  EXPECT_GT(goldenModels().size(), 2u) << "no model in " AVOCET_SHARED_DATA "/models";
}

} // namespace

// Makes GoogleTest print a parameter as its name.
void PrintTo(const GoldenModel &model, std::ostream *stream) { *stream << model.name; }

} // namespace avocet::golden
