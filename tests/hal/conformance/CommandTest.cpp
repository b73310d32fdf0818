//===- CommandTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Output, files and exit codes of `avocet conformance` on built vectors.

#include "ToolRunner.h"
#include "VectorBuilder.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::hal::conformance {
namespace {

using testing::HasSubstr;

class ConformanceCommand : public tool::test::ToolTest {
protected:
  /// Writes own.nntv with two RELU cases. The second has the input 2 and expects `second`.
  void writeVectors(float second) {
    std::vector<vectors::CaseT> cases;
    cases.push_back(identityCase("first", OperandType::TensorFloat32, bytesOf<float>({1, 2, 3}), usualKinds()));
    cases.push_back(identityCase("second", OperandType::TensorFloat32, bytesOf<float>({2}), vectors::Kind::General));
    cases[1].examples[0]->outputs[0]->data = bytesOf<float>({second});
    const Bytes bytes = pack(std::move(cases));
    write("own.nntv", std::string(bytes.begin(), bytes.end()));
  }

  tool::test::ToolResult runConformance(std::vector<std::string> more) {
    more.insert(more.begin(), {"conformance", "."});
    return run(more);
  }

  nlohmann::json readJson() { return nlohmann::json::parse(read("result.json"), nullptr, false); }
};

TEST_F(ConformanceCommand, ReportsPassedCases) {
  writeVectors(2);
  const auto result = runConformance({"--json", "result.json"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("RELU"));
  const nlohmann::json json = readJson();
  EXPECT_EQ(json.at("cases"), 2);
  EXPECT_EQ(json.at("passed"), 2);
  EXPECT_EQ(json.at("failed"), 0);
  EXPECT_EQ(json.at("by_operation").at("RELU").at("passed"), 2);
  EXPECT_EQ(json.at("by_kind").at("caching").at("passed"), 2);
  EXPECT_EQ(json.at("by_kind").at("oneByteShort").at("passed"), 1);
  EXPECT_EQ(json.at("by_kind").at("burst").at("passed"), 2);
  EXPECT_EQ(json.at("by_kind").at("fmqBurst").at("passed"), 2);
  EXPECT_TRUE(json.at("failures").empty());
}

TEST_F(ConformanceCommand, RunsThroughItsOwnService) {
  writeVectors(2);
  const auto result = runConformance({"--through", "service", "--json", "result.json"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const nlohmann::json json = readJson();
  EXPECT_EQ(json.at("passed"), 2);
  EXPECT_EQ(json.at("by_kind").at("caching").at("passed"), 2);
  EXPECT_EQ(json.at("by_kind").at("oneByteShort").at("passed"), 1);
  EXPECT_EQ(json.at("by_kind").at("burst").at("passed"), 2);
  EXPECT_EQ(json.at("by_kind").at("fmqBurst").at("passed"), 2);
}

TEST_F(ConformanceCommand, RunsThroughTheCLibrary) {
  writeVectors(2);
  for (const char *device : {"avocet-m512", "nnapi-reference"}) {
    const auto result =
        runConformance({"--through", "nnapi", "--target", "m512", "--device", device, "--json", "result.json"});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    const nlohmann::json json = readJson();
    EXPECT_EQ(json.at("passed"), 2);
    for (const char *kind : {"caching", "asynchronous", "burst", "fmqBurst"})
      EXPECT_EQ(json.at("by_kind").at(kind).at("passed"), 2) << kind;
    EXPECT_EQ(result.errors, "");
  }
}

TEST_F(ConformanceCommand, RunsThroughTheCLibraryAndAService) {
  writeVectors(2);
  const auto service = ServiceProcess::start(AVOCETD, path("socket"), {"--target", "m512"});
  ASSERT_TRUE(service.isOk()) << service.status().toString();
  const auto result = runConformance({"--through", "nnapi", "--socket", "socket", "--device", "avocet-m512"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
}

TEST_F(ConformanceCommand, RefusesDevicesThatAreNotThere) {
  writeVectors(1);
  EXPECT_THAT(runConformance({"--device", "avocet-e256"}).errors,
              HasSubstr("--device needs --socket or --through nnapi"));
  EXPECT_THAT(runConformance({"--socket", "socket", "--through", "cpu"}).errors, HasSubstr("exclude each other"));
  EXPECT_THAT(runConformance({"--through", "nnapi", "--device", "abacus"}).errors,
              HasSubstr("no device 'abacus'; its devices are: avocet-e256, nnapi-reference"));
}

TEST_F(ConformanceCommand, RunsThroughRunningService) {
  writeVectors(2);
  const auto service = ServiceProcess::start(AVOCETD, path("socket"), {"--target", "m512", "--target", "e256"});
  ASSERT_TRUE(service.isOk()) << service.status().toString();
  EXPECT_EQ(runConformance({"--socket", "socket", "--device", "avocet-e256"}).exitCode, 0);
  EXPECT_EQ(runConformance({"--socket", "socket"}).exitCode, 0);
  EXPECT_THAT(runConformance({"--socket", "socket", "--device", "avocet-nothing"}).errors, HasSubstr("avocet-nothing"));
  EXPECT_EQ(runConformance({"--socket", "nowhere"}).exitCode, 1);
  EXPECT_EQ(runConformance({"--socket", "socket", "--target", "e256"}).exitCode, 2);
}

TEST_F(ConformanceCommand, FailsOnWrongValues) {
  writeVectors(2.5f);
  const auto result = runConformance({"--json", "result.json", "--kind", "general"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("own/spec/second [general] wrong values: output 0 [0]: actual 2, expected 2.5"));
  const nlohmann::json json = readJson();
  EXPECT_EQ(json.at("failed"), 1);
  EXPECT_EQ(json.at("failures").at(0).at("case"), "own/spec/second");
  EXPECT_EQ(runConformance({"--filter", "first"}).exitCode, 0);
}

TEST_F(ConformanceCommand, RejectsInvalidArguments) {
  writeVectors(2);
  EXPECT_EQ(runConformance({"--kind", "sideways"}).exitCode, 2);
  EXPECT_EQ(runConformance({"--jobs", "0"}).exitCode, 2);
  EXPECT_THAT(runConformance({"--filter", "("}).errors, HasSubstr("no regular expression"));
  EXPECT_THAT(runConformance({"--operation", "CONV_2D"}).errors, HasSubstr("no case"));
}

} // namespace
} // namespace avocet::hal::conformance
