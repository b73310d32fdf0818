//===- ThroughTest.cpp - The parts of avocet run --through ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/remote/ThroughFigures.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

double sumOf(const TimeSplit &time) {
  return time.application + time.library + time.service.value_or(0) + time.driver + time.device + time.cpu + time.other;
}

/// Nanoseconds of ten runs.
constexpr CountedTimes kCounted{10e6, 0, 20e6, 30e6, 5e6};

TEST(SplitTimeTest, ApplicationHasTheRest) {
  const TimeSplit time = splitTime(8, 10, kCounted, false, std::nullopt);
  EXPECT_DOUBLE_EQ(time.library, 1);
  EXPECT_DOUBLE_EQ(time.driver, 2);
  EXPECT_DOUBLE_EQ(time.device, 3);
  EXPECT_DOUBLE_EQ(time.cpu, 0.5);
  EXPECT_DOUBLE_EQ(time.application, 1.5);
  EXPECT_EQ(time.service, std::nullopt);
  EXPECT_DOUBLE_EQ(time.other, 0);
  EXPECT_DOUBLE_EQ(sumOf(time), 8);
}

TEST(SplitTimeTest, ServiceIsWithoutItsDriverAndDevice) {
  const CountedTimes client{10e6, 60e6, 0, 0, 0}, service{0, 0, 20e6, 30e6, 0};
  const TimeSplit time = splitTime(8, 10, client, true, service);
  EXPECT_DOUBLE_EQ(*time.service, 1);
  EXPECT_DOUBLE_EQ(time.driver, 2);
  EXPECT_DOUBLE_EQ(time.device, 3);
  EXPECT_DOUBLE_EQ(sumOf(time), 8);
}

TEST(SplitTimeTest, UnknownFiguresStayWithTheService) {
  const TimeSplit time = splitTime(8, 10, {10e6, 60e6, 0, 0, 0}, true, std::nullopt);
  EXPECT_DOUBLE_EQ(*time.service, 6);
  EXPECT_DOUBLE_EQ(time.driver, 0);
  EXPECT_DOUBLE_EQ(sumOf(time), 8);
}

TEST(SplitTimeTest, ExcessOfOtherClientsIsShown) {
  const CountedTimes client{10e6, 60e6, 0, 0, 0}, service{0, 0, 20e6, 90e6, 0};
  const TimeSplit time = splitTime(8, 10, client, true, service);
  EXPECT_DOUBLE_EQ(*time.service, 0);
  EXPECT_DOUBLE_EQ(time.application, 0);
  EXPECT_DOUBLE_EQ(time.other, -4);
  EXPECT_DOUBLE_EQ(sumOf(time), 8);
}

ThroughFigures someFigures() {
  ThroughFigures figures;
  figures.model = "net.tflite";
  figures.through = Through::Nnapi;
  figures.device = "avocet-e256";
  figures.runs = 10;
  figures.time = splitTime(8, 10, kCounted, false, std::nullopt);
  figures.simulatedMs = 2.5;
  figures.operators = 5;
  figures.operations = 7;
  figures.operationsOnDevice = 4;
  figures.ownOperators = 1;
  figures.partitions = 1;
  figures.steps = 2;
  return figures;
}

TEST(ThroughFiguresTest, TableHasRowsThatExist) {
  ThroughFigures figures = someFigures();
  EXPECT_THAT(throughTable(figures), HasSubstr("operations 7 of NNAPI: 4 on the device, 3 on the CPU, in 2 steps"));
  EXPECT_THAT(throughTable(figures), HasSubstr("nnapi-reference"));
  EXPECT_THAT(throughTable(figures), Not(HasSubstr("other")));
  EXPECT_THAT(throughTable(figures), Not(HasSubstr("avocetd")));
  figures.time.other = -1;
  figures.time.service = 1;
  figures.through = Through::Delegate;
  figures.notes = {"something"};
  for (const char *words : {"other", "avocetd", "5: 4 in 1 partition of the delegate, on the device, 1 computed by",
                            "note       something"})
    EXPECT_THAT(throughTable(figures), HasSubstr(words));
  EXPECT_THAT(throughTable(figures), Not(HasSubstr("nnapi-reference")));
}

TEST(ThroughFiguresTest, NodesThatStayHaveTheirReasons) {
  ThroughFigures figures = someFigures();
  figures.through = Through::Onnxruntime;
  for (int i = 0; i < 12; ++i)
    figures.reasons.emplace_back("node " + std::to_string(i), "why");
  for (const char *words : {"net.tflite in ONNX Runtime, through libavocet_onnxruntime.so on", "OrtApi::Run",
                            "stays      node 9: why", "stays      2 others; --report json has all reasons"})
    EXPECT_THAT(throughTable(figures), HasSubstr(words));
  EXPECT_THAT(throughTable(figures), Not(HasSubstr("node 10")));
  const auto json = nlohmann::json::parse(throughJson(figures));
  EXPECT_EQ(json["through"], "onnxruntime");
  ASSERT_EQ(json["reasons"].size(), 12U);
  EXPECT_EQ(json["reasons"][11]["node"], "node 11");
  figures.through = Through::Nnapi;
  EXPECT_FALSE(nlohmann::json::parse(throughJson(figures)).contains("reasons"));
}

TEST(ThroughFiguresTest, JsonHasUnknownTimesLeftOut) {
  ThroughFigures figures = someFigures();
  EXPECT_EQ(nlohmann::json::parse(throughJson(figures))["simulated_ms"], 2.5);
  figures.simulatedMs.reset();
  const auto json = nlohmann::json::parse(throughJson(figures));
  EXPECT_FALSE(json.contains("simulated_ms"));
  EXPECT_FALSE(json["time_ms"].contains("service"));
  EXPECT_EQ(json["operations_on_cpu"], 3);
}

} // namespace
} // namespace avocet::tool::test
