//===- FallbackTest.cpp - Operators on the host, by the command -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

/// e256s refuses the second and the fourth operator, for its memory; the body of the loop has another one.
constexpr const char *kNetwork = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x1x1x65536xf32> {nn.name = "x"}) -> (tensor<1x1x1x65536xf32> {nn.name = "y"}, tensor<1x1x1x65536xf32> {nn.name = "z"}) {
    %0 = nn.mul %x, %x : (tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    %1 = nn.local_response_normalize %0 radius 2 bias 1.0 alpha 1.0 beta 0.5 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    %2 = nn.add %1, %0 : (tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    %3 = nn.local_response_normalize %2 radius 1 bias 2.0 alpha 1.0 beta 0.5 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    return %3, %2 : tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>
  }
})";
constexpr const char *kBranch = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%c: tensor<1xi1>, %x: tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32> {
    %0 = nn.add %x, %x : (tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    %r = nn.if %c : (tensor<1xi1>) -> tensor<1x1x1x65536xf32> {
      %a = nn.local_response_normalize %0 radius 2 bias 1.0 alpha 1.0 beta 0.5 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
      nn.yield %a : tensor<1x1x1x65536xf32>
    } else {
      nn.yield %x : tensor<1x1x1x65536xf32>
    }
    return %r : tensor<1x1x1x65536xf32>
  }
})";

class FallbackTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    write("network.mlir", kNetwork);
  }
  ToolResult runNetwork(const std::string &network, std::vector<std::string> more) const {
    more.insert(more.begin(), {"run", network});
    return run(more);
  }
  /// The outputs on e256s with operators on the CPU are those of the whole network on p4096.
  void expectEqualOutputs(const std::string &network, const std::vector<std::string> &inputs, int outputs) const {
    std::vector<std::string> whole = {"run", network, "-t", "p4096", "-o", "whole", "--report", "none"};
    std::vector<std::string> divided = {"run",     network,    "-t",   "e256s",      "-o",
                                        "divided", "--report", "none", "--fallback", "cpu"};
    for (std::vector<std::string> *command : {&whole, &divided}) {
      command->insert(command->end(), inputs.begin(), inputs.end());
      const ToolResult result = run(*command);
      ASSERT_EQ(result.exitCode, 0) << result.errors;
      EXPECT_EQ(result.errors, "");
    }
    for (int i = 0; i < outputs; ++i) {
      const std::string name = "/out" + std::to_string(i) + ".bin";
      EXPECT_EQ(read("whole" + name), read("divided" + name)) << name;
    }
  }
};

TEST_F(FallbackTest, GivesTheBytesOfTheWholeNetwork) { expectEqualOutputs("network.mlir", {}, 2); }

TEST_F(FallbackTest, BranchRunsAsAWholeOnTheCpu) {
  write("branch.mlir", kBranch);
  for (const char condition : {'\0', '\1'}) {
    write("condition", std::string(1, condition));
    write("x", std::string(65536 * 4, '\x3f'));
    expectEqualOutputs("branch.mlir", {"-i", "condition", "-i", "x"}, 1);
  }
}

TEST_F(FallbackTest, TableNamesOperatorsWithTheirTimes) {
  const ToolResult result = runNetwork("network.mlir", {"-t", "e256s", "--fallback", "cpu"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, ContainsRegex("on the host .* place +ms"));
  EXPECT_THAT(result.output, ContainsRegex("LOCAL_RESPONSE_NORMALIZE +cpu +[0-9]+\\.[0-9]+"));
  EXPECT_THAT(result.output, HasSubstr(" ADD ")) << "layers of the device";
}

TEST_F(FallbackTest, JsonListsOperatorsOfTheHost) {
  const ToolResult result =
      runNetwork("network.mlir", {"-t", "e256s", "--fallback", "cpu", "--report", "json", "--repeat", "3"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const json report = json::parse(result.output);
  ASSERT_EQ(report["host_operators"].size(), 2u);
  EXPECT_EQ(report["host_operators"][0]["place"], "cpu");
  EXPECT_GT(report["host_operators"][1]["ms"], 0.0);
  EXPECT_EQ(report["runs"], 3);
  uint64_t cycles = report["without_layer"]["cycles"];
  for (const json &layer : report["layers"])
    cycles += layer["cycles"].get<uint64_t>();
  EXPECT_EQ(report["cycles"], cycles) << "those of all networks of the device";
}

TEST_F(FallbackTest, RefusalNamesTheOption) {
  const ToolResult result = runNetwork("network.mlir", {"-t", "e256s"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("or run this operator on the host (--fallback cpu)"));
}

TEST_F(FallbackTest, NetworkWithoutRefusalsRunsAsBefore) {
  const ToolResult with = runNetwork("network.mlir", {"-t", "p4096", "--fallback", "cpu", "--report", "csv"});
  EXPECT_EQ(with.output, runNetwork("network.mlir", {"-t", "p4096", "--report", "csv"}).output);
}

TEST_F(FallbackTest, RunsWhatPartitionWrites) {
  ASSERT_EQ(run({"compile", "network.mlir", "-t", "e256s", "--partition", "parts"}).exitCode, 0);
  expectEqualOutputs("network.mlir", {}, 2);
  const ToolResult result =
      runNetwork("parts", {"-t", "e256s", "--fallback", "cpu", "-o", "parts/out", "--report", "none"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(read("parts/out/out0.bin"), read("whole/out0.bin"));
  EXPECT_THAT(runNetwork("parts", {"-t", "e256s"}).errors, HasSubstr("add --fallback cpu"));
}

TEST_F(FallbackTest, DamagedDivisionIsRefused) {
  ASSERT_EQ(run({"compile", "network.mlir", "-t", "e256s", "--partition", "parts"}).exitCode, 0);
  const std::string good = read("parts/partition.json");
  const auto refusedWith = [&](const std::string &from, const std::string &to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    write("parts/partition.json", bad);
    const ToolResult result = runNetwork("parts", {"-t", "e256s", "--fallback", "cpu"});
    EXPECT_EQ(result.exitCode, 1) << from;
    return result.errors;
  };
  EXPECT_THAT(refusedWith("\"step\": 0", "\"step\": 9"), HasSubstr("which is not an earlier one"));
  EXPECT_THAT(refusedWith("\"output\": 0", "\"output\": 7"), HasSubstr("has the source 7"));
  EXPECT_THAT(refusedWith("part0.mlir", "../x.mlir"), HasSubstr("is no name of a file in the folder"));
  EXPECT_THAT(refusedWith("part0.mlir", "part1.mlir"), HasSubstr("are not those that the description has"));
  EXPECT_THAT(refusedWith("65536", "65535"), HasSubstr("has another type or shape"));
  EXPECT_THAT(refusedWith("\"f32\"", "\"f33\""), HasSubstr("is no element type"));
  EXPECT_THAT(refusedWith("{", "["), HasSubstr("partition.json"));
}

TEST_F(FallbackTest, OptionsForWholeNetworksAreRefused) {
  write("hints.json", "{}");
  EXPECT_THAT(runNetwork("network.mlir", {"--fallback", "cpu", "--device", "x"}).errors, HasSubstr("--fallback"));
  const ToolResult recorded =
      runNetwork("network.mlir", {"-t", "e256s", "--fallback", "cpu", "--backend", "recorder:file.avor"});
  EXPECT_THAT(recorded.errors, HasSubstr("a recording has one network"));
}

} // namespace
} // namespace avocet::tool::test
