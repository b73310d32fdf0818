//===- ReportPartsTest.cpp - Schema, HTML and time line of reports -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"
#include "Report.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/firmware_iface/Codec.h"
#include "report/Html.h"
#include "report/JsonSchema.h"
#include "report/MemoryMap.h"
#include "report/RunTimeline.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using firmware::EngineKind;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

constexpr firmware::Engine kDma{EngineKind::Dma, 0}, kMac{EngineKind::Mac, 0};
constexpr uint32_t kWaitOperation = 1, kDmaOperation = 4, kConvOperation = 5;

/// The copy model: load, store and end on DMA channel 0.
std::shared_ptr<const cache::ModelCache> copyModel() {
  auto target = firmware::Target::load("e256").value();
  std::vector<uint8_t> bytes = cache::writeModelCache(runtime::test::copyModel(*target, 64)).value();
  return cache::ModelCache::adopt(std::move(bytes), "copy").value();
}

/// Numbers of the copies in the stream of the copy model.
std::vector<uint32_t> copiesOf(const cache::ModelCache &model) {
  const auto commands = firmware::decodeStream(model.stream(0).words).value();
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < commands.size(); ++i)
    if (std::holds_alternative<firmware::DmaCommand>(commands[i].body))
      numbers.push_back(i);
  return numbers;
}

TEST(RunTimelineTest, TransfersAreCountedByRegion) {
  const auto model = copyModel();
  const std::vector<uint32_t> copies = copiesOf(*model);
  ASSERT_EQ(copies.size(), 2u);
  firmware::JobProfile profile;
  profile.spans = {{kDma, copies[1], 0, kDmaOperation, 20, 30}, {kDma, copies[0], 0, kDmaOperation, 0, 15}};
  const RunTimeline timeline = makeTimeline(*model, profile);
  ASSERT_EQ(timeline.tracks.size(), 1u);
  EXPECT_EQ(timeline.tracks[0].commands[0].command, copies[0]); // in order of start
  EXPECT_EQ(timeline.tracks[0].dramBytes, (std::vector<uint64_t>{64, 64}));
  const LayerTraffic total = {timeline.traffic[0].constants, timeline.traffic[0].scratch,
                              timeline.traffic[0].inputs + timeline.traffic[1].inputs,
                              timeline.traffic[0].outputs + timeline.traffic[1].outputs};
  EXPECT_EQ(total.inputs, 64u);
  EXPECT_EQ(total.outputs, 64u);
}

/// Two steps on the DMA channel, which use buffer 0 one after the other.
IrText twoSteps() {
  IrText allocated;
  allocated.steps = {{kDma, kWithoutLayer}, {kDma, kWithoutLayer}};
  allocated.bufferLayers = {0};
  return allocated;
}

RunTimeline timelineOf(const std::vector<TimedCommand> &commands) {
  RunTimeline timeline;
  timeline.tracks = {{kDma, commands, {}}};
  return timeline;
}

TEST(MemoryMapTest, EqualCountsMatchStepsExactly) {
  const auto model = copyModel();
  const IrText allocated = twoSteps();
  const RunTimeline timeline =
      timelineOf({{0, 0, kDmaOperation, 5, 15}, {1, 0, kWaitOperation, 15, 20}, {2, 0, kDmaOperation, 20, 30}});
  const MemoryMap map = makeMemoryMap(*model, timeline, &allocated, {});
  EXPECT_EQ(map.match, StepMatch::Exact);
  ASSERT_EQ(map.buffers.size(), 1u);
  EXPECT_EQ(map.buffers[0].startCycle, 5u);
  EXPECT_EQ(map.buffers[0].endCycle, 30u);
  EXPECT_EQ(map.buffers[0].layer, 0);
}

TEST(MemoryMapTest, DividedCommandsMatchByLayer) {
  const auto model = copyModel();
  IrText allocated = twoSteps();
  allocated.steps[1].layer = 0;
  const RunTimeline timeline = timelineOf(
      {{0, firmware::kNoLayer, kDmaOperation, 5, 15}, {1, 0, kDmaOperation, 20, 30}, {2, 0, kDmaOperation, 30, 45}});
  const MemoryMap map = makeMemoryMap(*model, timeline, &allocated, {});
  EXPECT_EQ(map.match, StepMatch::ByLayer);
  EXPECT_EQ(map.buffers[0].endCycle, 45u);
}

TEST(MemoryMapTest, EnginesWithEqualCountsStayExact) {
  const auto model = copyModel();
  IrText allocated = twoSteps();
  allocated.steps = {{kDma, 0}, {kMac, 0}, {kDma, 0}};
  RunTimeline timeline = timelineOf({{0, 0, kDmaOperation, 5, 15}, {1, 0, kDmaOperation, 20, 30}});
  timeline.tracks.push_back({kMac, {{0, 0, kConvOperation, 6, 8}, {1, 0, kConvOperation, 8, 9}}, {}});
  const MemoryMap map = makeMemoryMap(*model, timeline, &allocated, {});
  EXPECT_EQ(map.match, StepMatch::ByLayer);
  EXPECT_EQ(map.buffers[0].startCycle, 5u);
  EXPECT_EQ(map.buffers[0].endCycle, 9u); // the second step is both commands of the array
}

TEST(MemoryMapTest, WithoutIrStepsAreEstimated) {
  const auto model = copyModel();
  const MemoryMap map =
      makeMemoryMap(*model, timelineOf({{0, 0, kDmaOperation, 5, 15}, {1, 0, kDmaOperation, 20, 30}}), nullptr, {});
  EXPECT_EQ(map.match, StepMatch::Estimated);
  EXPECT_EQ(map.buffers[0].endCycle, 30u);
  EXPECT_TRUE(makeMemoryMap(*model, RunTimeline{}, nullptr, {}).buffers[0].endCycle == 0u);
}

TEST(SramPeakTest, BuffersThatShareBytesCountOnceInPeak) {
  auto target = firmware::Target::load("e256").value();
  cache::ModelDescription description = runtime::test::copyModel(*target, 64);
  description.memoryPlan = {{"addend", firmware::kSramRegion, 0, 64, 0, 1},
                            {"sum", firmware::kSramRegion, 32, 32, 1, 1}};
  LoadedModel model;
  model.artefacts.model = cache::ModelCache::adopt(cache::writeModelCache(description).value(), "copy").value();
  model.target = target;
  EXPECT_EQ(makeReport(model, runtime::DeviceProperties{}, RunRecord{}).total.sramPeakBytes, 64u);
}

TEST(JsonSchemaTest, NamesPlaceAndRuleOfFirstError) {
  const Json schema = Json::parse(R"({"type": "object", "required": ["a"], "additionalProperties": false, "properties":
    {"a": {"type": "array", "items": {"type": "integer", "minimum": 0}}, "b": {"type": "string", "enum": ["x", "y"]}}})");
  const auto check = [&](const char *text) { return checkSchema(Json::parse(text), schema).toString(); };
  EXPECT_TRUE(checkSchema(Json::parse(R"({"a": [1, 2], "b": "x"})"), schema).isOk());
  EXPECT_THAT(check("[]"), HasSubstr("/: is array, must be of the type object"));
  EXPECT_THAT(check("{}"), HasSubstr("/a: is missing"));
  EXPECT_THAT(check(R"({"a": [1, "2"]})"), HasSubstr("/a/1: is \"2\", must be of the type integer"));
  EXPECT_THAT(check(R"({"a": [-1]})"), HasSubstr("/a/0: is -1, must be at least 0"));
  EXPECT_THAT(check(R"({"a": [], "b": "z"})"), HasSubstr("/b: is \"z\", must be one of [\"x\",\"y\"]"));
  EXPECT_THAT(check(R"({"a": [], "c": 1})"), HasSubstr("/c: is not known"));
}

TEST(HtmlTest, TextOfModelsCannotBecomeMarkup) {
  EXPECT_EQ(escapeHtml("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
  HtmlTable table("<caption>", {"name", "#bytes"});
  table.addRow({"</script><script>", "1"});
  EXPECT_THAT(table.toString(), HasSubstr("&lt;/script&gt;&lt;script&gt;"));
  EXPECT_THAT(table.toString(), HasSubstr("<td class=\"number\">1</td>"));
}

TEST(HtmlTest, PagePartsAreFilledOnce) {
  EXPECT_EQ(fillPage("<@a@> @b@ @c@ a@b.c", {{"a", "@b@"}, {"b", "2"}}), "<@b@> 2 @c@ a@b.c");
}

} // namespace
} // namespace avocet::tool::test
