//===- SectionsTest.cpp - Cycles of networks with branches ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace avocet::tool::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A loop with three turns, and a branch that is not taken.
constexpr const char *kLoop = R"(
module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %zero = nn.constant dense<0> : tensor<1xi32>
    %one = nn.constant dense<1> : tensor<1xi32>
    %three = nn.constant dense<3> : tensor<1xi32>
    %r:2 = nn.while %zero, %x : (tensor<1xi32>, tensor<4xf32>) -> (tensor<1xi32>, tensor<4xf32>) while {
    ^bb0(%i: tensor<1xi32>, %v: tensor<4xf32>):
      %c = nn.compare less %i, %three : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1> loc("again")
      nn.yield %c : tensor<1xi1>
    } do {
    ^bb0(%i: tensor<1xi32>, %v: tensor<4xf32>):
      %j = nn.add %i, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32> loc("count")
      %w = nn.add %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("twice")
      nn.yield %j, %w : tensor<1xi32>, tensor<4xf32>
    }
    %never = nn.compare less %r#0, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1> loc("never")
    %y = nn.if %never : (tensor<1xi1>) -> tensor<4xf32> {
      %a = nn.mul %r#1, %r#1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("square")
      nn.yield %a : tensor<4xf32>
    } else {
      nn.yield %r#1 : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }
}
)";

class SectionsTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ::setenv("COLUMNS", "1000", /*replace=*/1);
    write("loop.mlir", kLoop);
    ASSERT_EQ(run({"compile", "loop.mlir", "-g", "-o", "out"}).exitCode, 0);
  }

  void TearDown() override {
    ::unsetenv("COLUMNS");
    ToolTest::TearDown();
  }

  std::string output(const std::vector<std::string> &arguments) {
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.output;
  }

  /// The section with the commands of a layer.
  uint64_t sectionOf(const std::string &layer) {
    return json::parse(output({"where", "out", "--layer", layer, "--json"}))["layers"][0]["streams"][0]["section"];
  }
};

TEST_F(SectionsTest, LayerOfLoopHasCyclesOfFirstTurn) {
  const std::string section = std::to_string(sectionOf("twice"));
  EXPECT_THAT(output({"where", "out", "--layer", "twice"}), HasSubstr(", in run 1 of 3 of section " + section + "\n"));
  const json streams = json::parse(output({"where", "out", "--layer", "twice", "--json"}))["layers"][0]["streams"];
  EXPECT_EQ(streams[0]["cycles"].size(), 3u);
}

TEST_F(SectionsTest, CycleNamesTurnOfLoop) {
  const json first = json::parse(output({"where", "out", "--layer", "twice", "--json"}));
  const json third = first["layers"][0]["streams"][0]["cycles"][2];
  const std::string cycle = std::to_string(third["start"].get<uint64_t>());
  EXPECT_THAT(output({"where", "out", "--cycle", cycle}), HasSubstr(", in run 3 of 3 of section "));
  const json answer = json::parse(output({"where", "out", "--cycle", cycle, "--json"}));
  EXPECT_EQ(answer["run"], third["run"]);
}

TEST_F(SectionsTest, ControlProgramHasCyclesOfItsOwn) {
  const json runs = json::parse(output({"where", "out", "--layer", "twice", "--json"}))["runs"];
  ASSERT_LT(runs[0]["end"], runs[1]["start"]);
  const std::string between = std::to_string(runs[0]["end"].get<uint64_t>());
  EXPECT_EQ(output({"where", "out", "--cycle", between}),
            "no section runs in this cycle, only the control program of the network\n");
}

TEST_F(SectionsTest, BranchNotTakenHasNoCycles) {
  const std::string section = std::to_string(sectionOf("square"));
  EXPECT_THAT(output({"where", "out", "--layer", "square"}),
              HasSubstr(", cycles none: section " + section + " did not run\n"));
}

TEST_F(SectionsTest, ByteInLaterTurnHasItsWriter) {
  const json layer = json::parse(output({"where", "out", "--layer", "twice", "--json"}))["layers"][0];
  const uint64_t end = layer["streams"][0]["cycles"][2]["end"];
  const json last = json::parse(output({"where", "out", "--cycle", std::to_string(end - 1), "--json"}));
  for (const json &command : last["commands"])
    for (const json &buffer : command["buffers"])
      if (buffer["access"] == "write" && buffer["memory"] == "sram") {
        const uint64_t byte = buffer["address"], written = command["cycles"][2]["end"];
        const std::string text =
            output({"where", "out", "--address", "sram:" + std::to_string(byte) + "@" + std::to_string(written)});
        EXPECT_THAT(text,
                    HasSubstr("last written before this cycle by\ncommand    " + command["name"].get<std::string>()));
        return;
      }
  ADD_FAILURE() << last;
}

TEST_F(SectionsTest, ExplainCountsRunsOfSections) {
  const std::string text = output({"explain", "loop.mlir", "--no-changes"});
  EXPECT_THAT(text, HasSubstr("sections that ran with random inputs (seed 1)\n"));
  const json document = json::parse(output({"explain", "loop.mlir", "--no-changes", "--json"}));
  const json &sections = document["sections"];
  EXPECT_EQ(sections[sectionOf("again")]["runs"], 4u);
  EXPECT_EQ(sections[sectionOf("twice")]["runs"], 3u);
  EXPECT_EQ(sections[sectionOf("square")]["runs"], 0u);
  uint64_t cycles = 0;
  for (const json &section : sections)
    cycles += section["cycles"].get<uint64_t>();
  EXPECT_LT(cycles, document["network"]["cycles"]);
  EXPECT_GT(cycles * 10, document["network"]["cycles"].get<uint64_t>() * 5);
}

TEST_F(SectionsTest, EndlessLoopRunsWithFalseConditions) {
  std::string text = kLoop;
  const std::string next = "nn.yield %j, %w";
  write("endless.mlir", text.replace(text.find(next), next.size(), "nn.yield %i, %w"));
  const json document = json::parse(output({"explain", "endless.mlir", "--no-changes", "--json"}));
  EXPECT_FALSE(document["has_values"]);
  EXPECT_EQ(document["sections"][sectionOf("again")]["runs"], 1u);
  EXPECT_THAT(output({"explain", "endless.mlir", "--no-changes"}), HasSubstr("all conditions false"));
  output({"report", "endless.mlir", "-o", "page.html", "--data", "data.json"});
  EXPECT_THAT(read("page.html"), HasSubstr("Sections that ran, with all conditions false"));
  EXPECT_FALSE(json::parse(read("data.json"))["figures"]["computed"]);
}

TEST_F(SectionsTest, ExplainLayerSumsWaitsOfAllRuns) {
  const std::string text = output({"explain", "loop.mlir", "--no-changes", "--layer", "twice"});
  EXPECT_THAT(text, HasSubstr("cycles are those of all 3 runs of it\n"));
  EXPECT_THAT(text, HasSubstr("waits for"));
}

TEST_F(SectionsTest, ReportHasRunsLinksAndTimesOfBuffers) {
  output({"report", "loop.mlir", "--data", "data.json"});
  const json document = json::parse(read("data.json"));
  EXPECT_FALSE(document["is_straight"]);
  EXPECT_GE(document["sections"].size(), 8u);
  EXPECT_GT(document["links"].size(), 0u);
  EXPECT_EQ(document["memory"]["match"], "exact");
  EXPECT_EQ(document["tracks"][0]["run"].size(), document["tracks"][0]["command"].size());
  output({"report", "loop.mlir", "-o", "page.html"});
  EXPECT_THAT(read("page.html"), HasSubstr("Sections that ran, with random inputs"));
}

} // namespace
} // namespace avocet::tool::test
