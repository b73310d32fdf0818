//===- ReportDecisionsTest.cpp - Predictions and decisions in reports -*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"
#include "report/DocumentFile.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

class ReportDecisionsTest : public ToolTest {
protected:
  Json writeData(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"report", "--without-ir", "--data", "data.json"});
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return Json::parse(read("data.json"));
  }

  /// The page of data.
  std::string pageOf(const Json &document) {
    write("shown.json", document.dump());
    const ToolResult result = run({"report", "shown.json", "-o", "page.html"});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return read("page.html");
  }

  /// A target with so little memory that the network does not fit as a whole.
  std::string smallTarget() {
    std::string target = run({"targets", "--print", "e256s"}).output;
    const std::string bytes = "bytes = 393_216";
    EXPECT_NE(target.find(bytes), std::string::npos);
    write("small.toml", target.replace(target.find(bytes), bytes.size(), "bytes = 65_536"));
    return path("small.toml");
  }
};

uint64_t predictedSum(const Json &document) {
  uint64_t sum = 0;
  for (const Json &layer : document["layers"])
    sum += layer["predicted_cycles"].get<uint64_t>();
  return sum;
}

TEST_F(ReportDecisionsTest, PredictionsOfLayersAddUpOnEachTarget) {
  for (const std::string target : {"e256", "e256s", "m512", "p4096"}) {
    const Json document = writeData({kDigits, "-t", target});
    EXPECT_GT(predictedSum(document), 0u) << target;
    EXPECT_EQ(predictedSum(document), document["figures"]["predicted_cycles"].get<uint64_t>()) << target;
  }
}

TEST_F(ReportDecisionsTest, PortBytesAddUpToThoseCounted) {
  for (const std::string target : {"e256", "m512"}) {
    const Json document = writeData({kDigits, "-t", target});
    uint64_t sum = 0;
    for (const Json &track : document["tracks"])
      for (const Json &bytes : track["sram_bytes"])
        sum += bytes.get<uint64_t>();
    EXPECT_EQ(sum, document["figures"]["sram_bytes"].get<uint64_t>()) << target;
  }
}

TEST_F(ReportDecisionsTest, EachLayerHasItsDecisions) {
  const Json document = writeData({kDigits});
  std::vector<std::set<std::string>> names(document["layers"].size());
  for (const Json &decision : document["decisions"])
    for (const Json &layer : decision["layers"])
      names.at(layer.get<size_t>()).insert(decision["name"].get<std::string>());
  for (const auto &found : names)
    EXPECT_THAT(found, IsSupersetOf({"engine", "cascade"}));
}

TEST_F(ReportDecisionsTest, FailedChoiceNeedsMoreThanTheTargetHas) {
  const Json document = writeData({kDigits, "-t", smallTarget()});
  size_t failed = 0, missed = 0;
  for (const Json &decision : document["decisions"]) {
    if (decision["name"] != "cascade")
      continue;
    EXPECT_EQ(decision["choices"][0]["outcome"], "taken");
    for (const Json &choice : decision["choices"]) {
      const bool isFailed = choice["outcome"] == "failed";
      EXPECT_EQ(isFailed, choice["needs_bytes"].get<uint64_t>() > document["target"]["sram_bytes"].get<uint64_t>());
      EXPECT_TRUE(choice.contains("cycles_change"));
      failed += isFailed;
      missed += choice["outcome"] == "missed";
    }
  }
  EXPECT_GT(failed, 0u);
  EXPECT_GT(missed, 0u);
}

TEST_F(ReportDecisionsTest, TablesHavePredictionsAndDecisions) {
  const Json document = writeData({kDigits});
  const std::string page = pageOf(document);
  const size_t layers = page.find("<caption>Layers;"), end = page.find("</table>", layers);
  const std::string table = page.substr(layers, end - layers);
  EXPECT_THAT(table, AllOf(HasSubstr(">predicted cycles</th>"), HasSubstr("<td>all</td>")));
  EXPECT_THAT(table, HasSubstr("the predicted cycles add up to those of the network"));
  const std::string choice = document["decisions"].back()["choices"][0]["choice"];
  EXPECT_THAT(page, AllOf(HasSubstr("Decisions of the compiler ("), HasSubstr("<td>" + choice)));
}

TEST_F(ReportDecisionsTest, TotalNeedsPredictionsOfAllLayers) {
  Json document = writeData({kDigits});
  document["layers"][0].erase("predicted_cycles");
  EXPECT_THAT(pageOf(document), HasSubstr("predictions of all layers are not known"));
}

/// A network with a loop of at most eight passes, whose condition is a section without layers.
constexpr const char *kLoop = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%f: tensor<8xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %r:2 = nn.while %f, %x : (tensor<8xi1>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>) while {
    ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
      %c = nn.slice %g begin [0] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>
      nn.yield %c : tensor<1xi1>
    } do {
    ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
      %w = nn.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %z = nn.mul %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %y = nn.sub %w, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %s = nn.slice %g begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>
      %h = nn.pad %s low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>
      nn.yield %h, %y : tensor<8xi1>, tensor<4xf32>
    }
    %a = nn.add %r#1, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %a : tensor<4xf32>
  }
})";

TEST_F(ReportDecisionsTest, SectionsOfALoopHaveTheirOwnLayers) {
  write("loop.mlir", kLoop);
  const Json document = writeData({path("loop.mlir")});
  EXPECT_EQ(document["is_straight"], false);
  std::set<uint64_t> layers; // with a cascade
  for (const Json &decision : document["decisions"])
    if (decision["name"] == "cascade")
      layers.insert(decision["layers"].front().get<uint64_t>());
  EXPECT_EQ(layers.size(), document["layers"].size());
  const uint64_t sum = predictedSum(document), ofNetwork = document["figures"]["predicted_cycles"];
  EXPECT_LT(sum, ofNetwork) << "the condition has no layer";
  EXPECT_THAT(pageOf(document), HasSubstr("the rest belongs to no layer"));
}

TEST_F(ReportDecisionsTest, ArtefactsHaveNeitherPredictionsNorDecisions) {
  ASSERT_EQ(run({"compile", kDigits, "-o", "out"}).exitCode, 0);
  const Json document = writeData({"out"});
  EXPECT_THAT(document["decisions"], IsEmpty());
  for (const Json &layer : document["layers"])
    EXPECT_FALSE(layer.contains("predicted_cycles"));
  EXPECT_THAT(pageOf(document), AllOf(HasSubstr("predictions of all layers are not known"),
                                      HasSubstr("Decisions of the compiler are not known")));
}

/// What a program wrote that knew neither predictions by layer nor decisions nor the SRAM port.
Json ofEarlierVersion(Json document) {
  document.erase("decisions");
  document["target"].erase("sram_port_bytes_per_cycle");
  for (Json &track : document["tracks"])
    track.erase("sram_bytes");
  for (Json &layer : document["layers"])
    layer.erase("predicted_cycles");
  const auto rename = [](Json &object, const char *name, const char *former) {
    object[former] = object.at(name);
    object.erase(name);
  };
  rename(document, "optimize", "optimise");
  rename(document["figures"], "utilization", "utilisation");
  for (Json &layer : document["figures"]["layers"])
    rename(layer, "utilization", "utilisation");
  return document;
}

TEST_F(ReportDecisionsTest, ComparesWithDataOfEarlierVersions) {
  write("old.json", ofEarlierVersion(writeData({kDigits})).dump());
  const ToolResult result = run({"report", "--compare", "old.json", kDigits, "-o", "page.html"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(read("page.html"), AllOf(HasSubstr("From A to B"), HasSubstr("<td>predicted cycles</td>")));
}

TEST_F(ReportDecisionsTest, RefusesDamagedDecisionsAndBytes) {
  const Json document = writeData({kDigits});
  const auto errorAfter = [&](const std::function<void(Json &)> &change) {
    Json changed = document;
    change(changed);
    write("changed.json", changed.dump());
    return run({"report", "changed.json", "-o", "page.html"}).errors;
  };
  EXPECT_THAT(errorAfter([](Json &json) { json["decisions"].back()["layers"] = {1000}; }),
              HasSubstr("decisions: a layer is not in the document"));
  EXPECT_THAT(errorAfter([](Json &json) { json["decisions"][0]["choices"][0]["outcome"] = "maybe"; }),
              HasSubstr("must be one of"));
  EXPECT_THAT(errorAfter([](Json &json) { json["tracks"][0]["sram_bytes"].erase(0); }),
              HasSubstr("sram_bytes must have no or"));
}

} // namespace
} // namespace avocet::tool::test
