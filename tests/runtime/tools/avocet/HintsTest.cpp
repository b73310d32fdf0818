//===- HintsTest.cpp - Schedule hints on the command line -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";
const std::string kDigitsFloat = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_float32.tflite";

constexpr const char *kBranches = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%c: tensor<1xi1>, %x: tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32> {
    %r = nn.if %c : (tensor<1xi1>) -> tensor<1x64x64x32xf32> {
      %a = nn.add %x, %x : (tensor<1x64x64x32xf32>, tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
      %b = nn.softmax %a beta 1.0 : (tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
      nn.yield %b : tensor<1x64x64x32xf32>
    } else {
      %m = nn.mul %x, %x : (tensor<1x64x64x32xf32>, tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
      nn.yield %m : tensor<1x64x64x32xf32>
    }
    return %r : tensor<1x64x64x32xf32>
  }
}
)";

/// The networks of this test: the project's own, one with branches, and real ones if they are at hand.
std::vector<std::string> networks(const std::string &branches) {
  std::vector<std::string> paths{kDigits, kDigitsFloat, branches};
#ifdef AVOCET_SHARED_DATA
  for (const char *name : {"mobilenet_v2_100_224_int8", "ic_resnet_large_fp32", "kws_dscnn_hybrid", "mnist_lstm_int8"})
    if (!kHasSanitizer)
      paths.push_back(std::string(AVOCET_SHARED_DATA "/models/") + name + "/model.tflite");
#endif
  return paths;
}

class HintsTest : public ToolTest {
protected:
  void compile(const std::string &model, const std::string &target, const std::string &output,
               const std::vector<std::string> &more) const {
    std::vector<std::string> arguments{"compile", model, "-t", target, "-o", output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ToolResult result = run(arguments);
    ASSERT_EQ(result.exitCode, 0) << model << " on " << target << ": " << result.errors;
  }

  std::string refusalOf(const std::string &hints) const {
    write("bad.json", hints);
    const ToolResult result = run({"compile", kDigits, "-t", "e256s", "-o", "out", "--hints", "bad.json"});
    EXPECT_EQ(result.exitCode, 1);
    return result.errors;
  }

  /// Arguments of the schedule's remarks in a file.
  std::vector<json> remarksIn(const std::string &file) const {
    std::vector<json> found;
    const json document = json::parse(read(file));
    for (const json &remark : document["remarks"])
      if (remark["category"] == "schedule" && remark["kind"] != "analysis")
        found.push_back(remark);
    return found;
  }
};

TEST_F(HintsTest, PrintedHintsGiveTheSameArtefacts) {
  write("branches.mlir", kBranches);
  for (const std::string &model : networks(path("branches.mlir")))
    for (const char *target : {"e256", "e256s", "m512", "p4096"}) {
      const ToolResult printed = run({"explain", model, "-t", target, "--print-hints"});
      ASSERT_EQ(printed.exitCode, 0) << printed.errors;
      write("hints.json", printed.output);
      EXPECT_THAT(printed.output, HasSubstr("\"cascade\""));
      compile(model, target, "a", {});
      compile(model, target, "b", {"--hints", "hints.json"});
      EXPECT_EQ(read("a/model.avom"), read("b/model.avom")) << model << " on " << target;
      EXPECT_EQ(read("a/data.avod"), read("b/data.avod")) << model << " on " << target;
    }
}

TEST_F(HintsTest, HintsKeepWhatASearchHasFound) {
  const std::string level = kHasSanitizer ? "2" : "3"; // a minute with a sanitizer
  const ToolResult printed = run({"explain", kDigits, "-t", "m512", "--optimize", level, "--print-hints"});
  ASSERT_EQ(printed.exitCode, 0) << printed.errors;
  write("hints.json", printed.output);
  compile(kDigits, "m512", "searched", {"--optimize", level});
  compile(kDigits, "m512", "plain", {});
  compile(kDigits, "m512", "hinted", {"--hints", "hints.json"});
  EXPECT_EQ(read("searched/model.avom"), read("hinted/model.avom"));
  if (level == "3")
    EXPECT_NE(read("searched/model.avom"), read("plain/model.avom")) << "the search has found nothing to keep";
}

TEST_F(HintsTest, HintOfAnAlternativeChoosesIt) {
  compile(kDigits, "e256s", "out", {"--remarks", "why.json"});
  json decided = json::array();
  size_t tried = 0;
  const std::vector<json> remarks = remarksIn("why.json");
  for (const json &remark : remarks)
    if (remark["kind"] == "passed" && remark["name"] == "cascade")
      decided.push_back(remark["arguments"]["Hint"]);
  for (const json &remark : remarks) {
    const json &arguments = remark["arguments"];
    if (remark["kind"] != "missed" || !arguments.contains("Hint"))
      continue;
    json hints = json::array();
    if (remark["name"] == "block") // of the largest tile, which cascades decide
      hints = decided;
    hints.push_back(arguments["Hint"]);
    write("hints.json", json{{"hints", hints}}.dump());
    compile(kDigits, "e256s", "out", {"--hints", "hints.json", "--remarks", "after.json"});
    const std::vector<json> after = remarksIn("after.json");
    const bool isChosen = std::ranges::any_of(after, [&](const json &other) {
      return other["kind"] == "passed" && other["name"] == remark["name"] &&
             other["arguments"]["Layer"] == arguments["Layer"] && other["arguments"]["Choice"] == arguments["Choice"];
    });
    EXPECT_TRUE(isChosen) << arguments.dump();
    if (++tried == 40 && kHasSanitizer)
      break;
  }
  EXPECT_GT(tried, 20u);
}

TEST_F(HintsTest, HintsDoNotChangeResults) {
  write("hints.json",
        R"({"hints": [{"cascade": ["stem", 2], "rows": 3, "ahead": true}, {"block": 1, "extents": [3, 5, 16]},
                                    {"result": 2, "memory": "dram"}]})");
  const std::vector<std::string> common{"run", kDigits, "-t", "e256s", "--seed", "3", "--output-dir"};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  ASSERT_EQ(with({"a"}).exitCode, 0);
  const ToolResult hinted = with({"b", "--hints", "hints.json"});
  ASSERT_EQ(hinted.exitCode, 0) << hinted.errors;
  EXPECT_EQ(read("a/out0.bin"), read("b/out0.bin"));
}

TEST_F(HintsTest, IrHasTheHintsUntilTheSchedule) {
  write("hints.json", R"({"hints": [{"cut": "stem"}]})");
  const ToolResult imported = run({"compile", kDigits, "--stop-after", "import", "-o", "-", "--hints", "hints.json"});
  EXPECT_THAT(imported.output, HasSubstr("avocet.hints = [{cut = \"stem\"}]"));
  compile(kDigits, "e256s", "placed.mlir", {"--stop-after", "place", "--hints", "hints.json"});
  EXPECT_THAT(read("placed.mlir"), HasSubstr("avocet.hints = [{cut = \"stem\"}]"));
  compile("placed.mlir", "e256s", "resumed", {"--start-at", "place"});
  compile(kDigits, "e256s", "whole", {"--hints", "hints.json"});
  EXPECT_EQ(read("resumed/model.avom"), read("whole/model.avom"));
  compile(kDigits, "e256s", "scheduled.mlir", {"--stop-after", "schedule", "--hints", "hints.json"});
  EXPECT_EQ(read("scheduled.mlir").find("avocet.hints"), std::string::npos);
  const ToolResult late = run({"compile", "scheduled.mlir", "-t", "e256s", "-o", "out", "--hints", "hints.json"});
  EXPECT_EQ(late.exitCode, 1);
  EXPECT_THAT(late.errors, HasSubstr("so its schedule is made; give hints with a module of phase place or earlier"));
}

TEST_F(HintsTest, RefusalsNameTheHintAndWhatIsPossible) {
  EXPECT_THAT(refusalOf(R"({"hints": [{"cut": "stem"}, {"cut": "nosuch"}]})"),
              HasSubstr("hint 2: no operator is called 'nosuch'"));
  EXPECT_THAT(refusalOf(R"({"hints": [{"cascade": ["stem"], "rows": 1000}]})"),
              HasSubstr("hint 1: 'rows' is 1000, accepted are 1 to 14"));
  EXPECT_THAT(refusalOf("{"), HasSubstr("hints: no valid JSON"));
  EXPECT_THAT(refusalOf(""), HasSubstr("bad.json: is empty"));
  compile(kDigits, "e256s", "artefacts", {});
  const ToolResult artefacts = run({"run", "artefacts", "--hints", "bad.json"});
  EXPECT_EQ(artefacts.exitCode, 1);
  EXPECT_THAT(artefacts.errors, HasSubstr("artefacts have a schedule already; leave out --hints"));
}

TEST_F(HintsTest, SavedTempsCompileAgainWithTheHints) {
  write("hints.json", R"({"hints": [{"cascade": ["stem"], "rows": 5}]})");
  compile(kDigits, "e256s", "out", {"--hints", "hints.json", "--save-temps", "temps"});
  EXPECT_EQ(read("temps/hints.json"), read("hints.json"));
  EXPECT_THAT(read("temps/reproduce.sh"), HasSubstr(" --hints hints.json"));
}

} // namespace
} // namespace avocet::tool::test
