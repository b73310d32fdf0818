//===- ReportCommandTest.cpp - avocet report --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"
#include "avocet/analysis/CommandTimes.h"
#include "report/DocumentFile.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

class ReportCommandTest : public ToolTest {
protected:
  Json writeData(const std::vector<std::string> &arguments) {
    std::vector<std::string> line = {"report", "--data", "data.json"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    const ToolResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return Json::parse(read("data.json"));
  }

  /// The error of a command that compares saved data with itself, after `change`.
  std::string errorAfter(const Json &document, const std::function<void(Json &)> &change) {
    Json changed = document;
    change(changed);
    write("changed.json", changed.dump());
    const ToolResult result = run({"report", "changed.json", "-o", "page.html"});
    EXPECT_EQ(result.exitCode, 1);
    return result.errors;
  }
};

uint64_t sumOf(const Json &layers, const char *key) {
  uint64_t sum = 0;
  for (const Json &layer : layers)
    sum += layer[key].get<uint64_t>();
  return sum;
}

uint64_t transfersOf(const Json &document) {
  uint64_t sum = 0;
  for (const auto &[kind, bytes] : document["transfers_without_layer"].items())
    sum += bytes.get<uint64_t>();
  for (const Json &layer : document["layers"])
    for (const auto &[kind, bytes] : layer["transfers"].items())
      sum += bytes.get<uint64_t>();
  return sum;
}

TEST_F(ReportCommandTest, DataOfFileKeepsSchemaAndAddsUp) {
  const Json document = writeData({kDigits, "-t", "m512"});
  const Status status = checkDocument(document, "data.json");
  EXPECT_TRUE(status.isOk()) << status.toString();
  const Json &figures = document["figures"];
  EXPECT_EQ(sumOf(figures["layers"], "cycles"), figures["cycles"].get<uint64_t>());
  EXPECT_EQ(transfersOf(document), figures["dram_bytes"].get<uint64_t>());
  EXPECT_EQ(document["memory"]["match"], "exact");
  EXPECT_GT(document["links"].size(), 0u);
  std::vector<std::string> phases;
  for (const Json &phase : document["ir"])
    phases.push_back(phase["phase"]);
  EXPECT_EQ(phases, (std::vector<std::string>{"import", "nn", "place", "schedule", "allocate", "cmd"}));
  EXPECT_EQ(document["graphs"].size(), 2u);
}

TEST_F(ReportCommandTest, EachResultIsCoveredByItsTiles) {
  const Json map = writeData({kDigits})["source_map"];
  EXPECT_EQ(map["operators"][0],
            (Json{{"layer", 0}, {"kind", "CONV_2D"}, {"location", "digits_int8.tflite:stem"}, {"number", 0}}));
  EXPECT_EQ(map["results"][0], "stem");
  uint64_t elements = 0; // of the stem, 14 x 14 x 16
  for (const Json &stream : map["tiles"])
    for (size_t i = 0; i < stream["values"].size(); i += 8)
      if (const Json &values = stream["values"]; values[i + 1] == 0)
        elements += values[i + 5].get<uint64_t>() * values[i + 6].get<uint64_t>() * values[i + 7].get<uint64_t>();
  EXPECT_EQ(elements, 14u * 14 * 16);
}

TEST_F(ReportCommandTest, LinksStartAfterTheCommandsTheyNeed) {
  const Json document = writeData({kDigits});
  const Json &links = document["links"], &tracks = document["tracks"];
  for (size_t i = 0; i < links.size(); i += 5) {
    const Json &from = tracks[links[i].get<size_t>()], &to = tracks[links[i + 2].get<size_t>()];
    const size_t first = links[i + 1], second = links[i + 3];
    EXPECT_LE(from["start"][first].get<uint64_t>() + from["cycles"][first].get<uint64_t>(),
              to["start"][second].get<uint64_t>())
        << "link " << i / 5;
  }
}

TEST_F(ReportCommandTest, LastPhaseHasLineOfEachCommand) {
  const Json document = writeData({kDigits});
  const Json &phase = document["ir"].back();
  std::vector<std::string> lines;
  std::istringstream text(phase["text"].get<std::string>());
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  size_t checked = 0;
  for (const Json &track : document["tracks"])
    for (const Json &stream : phase["streams"]) {
      if (stream["engine"] != track["engine"] || stream["index"] != track["index"])
        continue;
      for (size_t i = 0; i < track["command"].size(); ++i, ++checked) {
        const std::string &line = lines.at(stream["first_line"].get<size_t>() + track["command"][i].get<size_t>());
        EXPECT_THAT(line,
                    HasSubstr("cmd." + document["operations"][track["operation"][i].get<size_t>()].get<std::string>()));
      }
    }
  EXPECT_GT(checked, 20u);
}

TEST_F(ReportCommandTest, SourceMapTimesBuffersOfArtefactsExactly) {
  ASSERT_EQ(run({"compile", kDigits, "-g", "-o", "out"}).exitCode, 0);
  const Json ofArtefacts = writeData({"out"})["memory"];
  EXPECT_EQ(ofArtefacts["match"], "exact");
  EXPECT_EQ(ofArtefacts, writeData({kDigits})["memory"]);
  EXPECT_EQ(ofArtefacts, writeData({kDigits, "--without-ir"})["memory"]);
}

/// The cycles of all tiles of a result, by its name.
std::map<std::string, analysis::CycleRange> cyclesOfTiles(const Json &document) {
  std::map<std::string, analysis::CycleRange> cycles;
  const Json &map = document["source_map"];
  for (const Json &stream : map["tiles"])
    for (const Json &track : document["tracks"]) {
      if (stream["engine"] != track["engine"] || stream["index"] != track["index"])
        continue;
      for (size_t i = 0; i < stream["values"].size(); i += 8) {
        const size_t place =
            static_cast<size_t>(std::ranges::find(track["command"], stream["values"][i]) - track["command"].begin());
        const uint64_t start = track["start"].at(place), end = start + track["cycles"].at(place).get<uint64_t>();
        const auto [tiles, isFirst] =
            cycles.emplace(map["results"].at(stream["values"][i + 1].get<size_t>()), analysis::CycleRange{start, end});
        if (!isFirst)
          tiles->second = {std::min(tiles->second.start, start), std::max(tiles->second.end, end)};
      }
    }
  return cycles;
}

TEST_F(ReportCommandTest, ResultsAreHeldFromTheirFirstTile) {
  for (const std::string target : {"e256", "e256s", "m512", "p4096"}) {
    const Json document = writeData({kDigits, "-t", target}), &memory = document["memory"];
    const std::map<std::string, analysis::CycleRange> tiles = cyclesOfTiles(document);
    size_t held = 0;
    for (const Json &buffer : memory["buffers"]) {
      const auto found = tiles.find(memory["tensors"].at(buffer["tensor"].get<size_t>()));
      if (found == tiles.end())
        continue; // constants and inputs
      ++held;
      EXPECT_EQ(buffer["start_cycle"].get<uint64_t>(), found->second.start) << target << buffer;
      EXPECT_GE(buffer["end_cycle"].get<uint64_t>(), found->second.end) << target << buffer;
    }
    EXPECT_GT(held, 5u) << target;
  }
}

TEST_F(ReportCommandTest, BuffersNameTensorsTheyHold) {
  const Json memory = writeData({kDigits})["memory"];
  std::set<std::string> tensors;
  for (const Json &buffer : memory["buffers"])
    tensors.insert(memory["tensors"].at(buffer["tensor"].get<size_t>()).get<std::string>());
  EXPECT_THAT(tensors, IsSupersetOf({"stem", "constants of stem", "depthwise1", "constants of depthwise1"}));
}

TEST_F(ReportCommandTest, ArtefactsGiveCommandsInPlaceOfIr) {
  ASSERT_EQ(run({"compile", kDigits, "-o", "out"}).exitCode, 0);
  const Json document = writeData({"out"});
  ASSERT_EQ(document["ir"].size(), 1u);
  EXPECT_EQ(document["ir"][0]["phase"], "commands");
  EXPECT_EQ(document["memory"]["match"], "estimated");
  EXPECT_TRUE(checkDocument(document, "data.json").isOk());
}

TEST_F(ReportCommandTest, SameRunGivesSameBytes) {
  ASSERT_EQ(run({"report", kDigits, "-o", "a.html", "--without-ir"}).exitCode, 0);
  ASSERT_EQ(run({"report", kDigits, "--data", "a.json", "--without-ir"}).exitCode, 0);
  const Json first = Json::parse(read("a.json"));
  ASSERT_EQ(run({"report", kDigits, "--data", "b.json", "--without-ir"}).exitCode, 0);
  Json second = Json::parse(read("b.json"));
  for (const char *time : {"host_compile_ms", "host_run_ms"})
    second["figures"][time] = first["figures"][time];
  EXPECT_EQ(first, second);
}

TEST_F(ReportCommandTest, PageIsCompleteWithoutScriptsAndNetwork) {
  ASSERT_EQ(run({"report", kDigits, "-o", "page.html"}).exitCode, 0);
  const std::string page = read("page.html");
  EXPECT_THAT(page, HasSubstr("<td>residual1"));
  EXPECT_THAT(page, HasSubstr("<caption>Summary</caption>"));
  EXPECT_THAT(page, HasSubstr("Michael Bostock"));
  EXPECT_THAT(page, HasSubstr("Chris Pettitt"));
  for (const char *reference : {"src=", "<link", "@import", "url(http"})
    EXPECT_THAT(page.substr(0, page.find("<script id=\"libraries\">")), Not(HasSubstr(reference))) << reference;
}

TEST_F(ReportCommandTest, ComparisonShowsChangesOfTwoTargets) {
  ASSERT_EQ(
      run({"report", "--compare", kDigits, "-t", "e256", "-t", "m512", "--without-ir", "-o", "page.html"}).exitCode, 0);
  const std::string page = read("page.html");
  EXPECT_THAT(page, HasSubstr("digits_int8 on e256</td>"));
  EXPECT_THAT(page, HasSubstr("From A to B"));
}

TEST_F(ReportCommandTest, ComparisonPrintsCyclesAndLimitsTheirGrowth) {
  writeData({kDigits, "--without-ir"});
  Json slower = Json::parse(read("data.json"));
  const uint64_t before = slower["figures"]["cycles"];
  slower["figures"]["cycles"] = before + before / 10;
  Json &layer = slower["figures"]["layers"][0];
  layer["cycles"] = layer["cycles"].get<uint64_t>() + before / 10;
  write("slower.json", slower.dump());
  const auto compared = [&](const std::string &limit) {
    return run({"report", "--compare", "data.json", "slower.json", "--max-growth", limit});
  };
  const ToolResult within = compared("11%");
  EXPECT_EQ(within.exitCode, 0) << within.errors;
  EXPECT_THAT(within.output, HasSubstr("cycles before"));
  EXPECT_THAT(within.output, HasSubstr("\n" + layer["name"].get<std::string>()));
  EXPECT_THAT(within.output, HasSubstr("total"));
  const ToolResult above = compared("9");
  EXPECT_EQ(above.exitCode, 1);
  EXPECT_THAT(above.errors, HasSubstr("--max-growth allows 9 %"));
  EXPECT_EQ(above.output, within.output);
  EXPECT_EQ(run({"report", "--compare", "slower.json", "data.json", "--max-growth", "0"}).exitCode, 0);
  EXPECT_THAT(compared("much").errors, HasSubstr("--max-growth"));
}

TEST_F(ReportCommandTest, RefusesDamagedData) {
  const Json document = writeData({kDigits, "--without-ir"});
  EXPECT_THAT(errorAfter(document, [](Json &json) { json = 3; }), HasSubstr("is not the data of a report"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["format"] = 3; }), HasSubstr("is not the data of a report"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["version"] = 2; }),
              HasSubstr("has version 2; this program reads version 1"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["tracks"][0]["start"].erase(0); }), HasSubstr("start has"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["tracks"][0]["layer"][0] = 1000; }),
              HasSubstr("is not in the document"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["links"][1] = 1 << 30; }), HasSubstr("links: link 0"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["memory"]["tensors"] = Json::array(); }),
              HasSubstr("memory: a buffer names a tensor that is not in the document"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["layers"].erase(0); }),
              HasSubstr("layers: has another number"));
  EXPECT_THAT(errorAfter(document, [](Json &json) { json["figures"]["cycles"] = "many"; }),
              HasSubstr("/figures/cycles: is \"many\", must be of the type integer"));
  write("changed.json", "{\"format\": ");
  EXPECT_THAT(run({"report", "changed.json", "-o", "page.html"}).errors, HasSubstr("is not JSON"));
}

TEST_F(ReportCommandTest, RefusesOptionsThatDoNotFit) {
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "report");
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 1);
    return result.errors;
  };
  EXPECT_THAT(error({kDigits}), HasSubstr("no file for the report was given; add -o FILE"));
  EXPECT_THAT(error({kDigits, kDigits, "-o", "a"}),
              HasSubstr("2 models were given, a report is of one; add --compare"));
  EXPECT_THAT(error({"--compare", kDigits, "-o", "a"}), HasSubstr("only one run was given"));
  EXPECT_THAT(error({kDigits, "-o", "a", "--max-growth", "1%"}), HasSubstr("add --compare for two"));
  EXPECT_THAT(error({kDigits, "-t", "e256", "-t", "m512", "-o", "a"}),
              HasSubstr("--target: 2 values were given for 1 run"));
  EXPECT_THAT(error({kDigits, "--optimize", "3s", "-o", "a"}), HasSubstr("a report needs a level (0 to 3)"));
  EXPECT_THAT(error({"--compare", kDigits, "-t", "e256", "-t", "m512", "--data", "d"}),
              HasSubstr("--data: holds the data of one run"));
}

} // namespace
} // namespace avocet::tool::test
