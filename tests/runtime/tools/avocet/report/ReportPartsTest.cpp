//===- ReportPartsTest.cpp - Schema, HTML and time line of reports -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"
#include "SmallModel.h"
#include "avocet/analysis/Report.h"
#include "avocet/analysis/RunTimeline.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/documents/MemoryMap.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/session/Session.h"
#include "report/Html.h"
#include "report/JsonSchema.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using firmware::EngineKind;
using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
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
  const analysis::RunTimeline timeline = analysis::makeTimeline(*model, profile);
  ASSERT_EQ(timeline.tracks.size(), 1u);
  EXPECT_EQ(timeline.tracks[0].commands[0].command, copies[0]); // in order of start
  EXPECT_EQ(timeline.tracks[0].dramBytes, (std::vector<uint64_t>{64, 64}));
  const analysis::LayerTraffic total = {timeline.traffic[0].constants, timeline.traffic[0].scratch,
                                        timeline.traffic[0].inputs + timeline.traffic[1].inputs,
                                        timeline.traffic[0].outputs + timeline.traffic[1].outputs};
  EXPECT_EQ(total.inputs, 64u);
  EXPECT_EQ(total.outputs, 64u);
}

analysis::RunTimeline timelineOf(const std::vector<analysis::TimedCommand> &commands) {
  analysis::RunTimeline timeline;
  timeline.tracks = {{kDma, commands, {}, {}}};
  return timeline;
}

/// The small model, whose steps 0 and 1 load, 2 computes and 3 stores, on a device that takes 10 cycles for a command.
class MemoryMapTest : public testing::Test {
protected:
  documents::MemoryMap makeMap() {
    auto cache = cache::ModelCache::adopt(cache::writeModelCache(model_).value(), "small").value();
    const analysis::SourceMap sources = analysis::SourceMap::open(cache).value();
    const analysis::CommandTimes times = analysis::CommandTimes::from(sources, profile_);
    const std::vector<analysis::StepTimes> steps = {analysis::StepTimes(sources, times)};
    return documents::makeMemoryMap(*cache, analysis::makeTimeline(*cache, profile_), steps);
  }

  static firmware::JobProfile profileOfRun() {
    firmware::JobProfile profile;
    profile.spans = {{kDma, 0, 0, kDmaOperation, 0, 10},   {kDma, 1, 0, kDmaOperation, 10, 20},
                     {kMac, 0, 0, kWaitOperation, 0, 20},  {kMac, 1, 0, kConvOperation, 20, 30},
                     {kDma, 3, 0, kWaitOperation, 20, 30}, {kDma, 4, 0, kDmaOperation, 30, 40}};
    return profile;
  }

  cache::ModelDescription model_ = cache::smallMappedModel();
  firmware::JobProfile profile_ = profileOfRun();
};

TEST_F(MemoryMapTest, BuffersLastFromFirstToLastStep) {
  model_.memoryPlan = {{"t0", firmware::kSramRegion, 0, 16, 0, 2}, {"t1", firmware::kSramRegion, 16, 2, 2, 3}};
  const documents::MemoryMap map = makeMap();
  EXPECT_EQ(map.match, documents::StepMatch::Exact);
  ASSERT_EQ(map.buffers.size(), 2u);
  EXPECT_EQ(map.buffers[0].startCycle, 0u);
  EXPECT_EQ(map.buffers[0].endCycle, 30u);
  EXPECT_EQ(map.buffers[1].startCycle, 20u);
  EXPECT_EQ(map.buffers[1].endCycle, 40u);
}

TEST_F(MemoryMapTest, DividedStepsLastUntilTheirLastCommand) {
  model_.streams[1].sources = {{0}, {0}, {0}, {3}, {3}, {}}; // both loads are step 0
  model_.memoryPlan = {{"t0", firmware::kSramRegion, 0, 16, 0, 0}, {"t1", firmware::kSramRegion, 16, 2, 0, 2}};
  profile_.spans[1].startCycle = 5;
  const documents::MemoryMap map = makeMap();
  EXPECT_EQ(map.match, documents::StepMatch::Exact);
  EXPECT_EQ(map.buffers[0].startCycle, 0u);
  EXPECT_EQ(map.buffers[0].endCycle, 20u);
  EXPECT_EQ(map.buffers[1].endCycle, 30u);
}

TEST_F(MemoryMapTest, LayerIsThatOfTheHeldResult) {
  model_.layers.push_back(model_.layers[0]);
  model_.sourceOperations[0].layer = 1;
  model_.memoryPlan = {{"t0", firmware::kSramRegion, 0, 16, 0, 2},
                       {"t1", firmware::kSramRegion, 16, 2, 2, 3, 0},
                       {"t2", firmware::kSramRegion, 0, 16, 8, 9}};
  const documents::MemoryMap map = makeMap();
  EXPECT_EQ(map.buffers[0].layer, 0u); // of the command that loads it
  EXPECT_EQ(map.buffers[1].layer, 1u);
  EXPECT_EQ(map.buffers[2].layer, firmware::kNoLayer); // there are no such steps
}

TEST_F(MemoryMapTest, BuffersOfOneTensorShareItsNumber) {
  model_.memoryPlan = {{"t0", firmware::kSramRegion, 0, 16, 0, 2},
                       {"r1", firmware::kSramRegion, 16, 2, 2, 3, 0},
                       {"w2", firmware::kSramRegion, 32, 56, 1, 2, 0},
                       {"v3", firmware::kSramRegion, 16, 2, 3, 3, 0},
                       {"c4", 3, 0, 56, 1, 1, 0},
                       {"t5", firmware::kSramRegion, 0, 2, 3, 3}};
  const documents::MemoryMap map = makeMap();
  EXPECT_THAT(map.tensors, ElementsAre("t0", "y", "constants of y", "t5"));
  std::vector<size_t> tensors;
  for (const documents::MappedBuffer &buffer : map.buffers)
    tensors.push_back(buffer.tensor);
  EXPECT_THAT(tensors, ElementsAre(0, 1, 2, 1, 2, 3));
}

TEST(MemoryEstimateTest, WithoutSourceMapStepsAreEstimated) {
  const auto model = copyModel();
  const documents::MemoryMap map =
      documents::makeMemoryMap(*model, timelineOf({{0, 0, kDmaOperation, 5, 15}, {1, 0, kDmaOperation, 20, 30}}), {});
  EXPECT_EQ(map.match, documents::StepMatch::Estimated);
  EXPECT_EQ(map.buffers[0].startCycle, 5u);
  EXPECT_EQ(map.buffers[0].endCycle, 30u);
  EXPECT_EQ(map.buffers[0].layer, 0u);
  EXPECT_THAT(map.tensors, ElementsAre("in"));
  EXPECT_EQ(documents::makeMemoryMap(*model, analysis::RunTimeline{}, {}).buffers[0].endCycle, 0u);
}

TEST(MemoryEstimateTest, EstimateBearsAnyNumberOfSteps) {
  auto target = firmware::Target::load("e256").value();
  cache::ModelDescription description = runtime::test::copyModel(*target, 64);
  description.memoryPlan = {{"in", firmware::kSramRegion, 0, 64, UINT32_MAX, UINT32_MAX}};
  const auto model = cache::ModelCache::adopt(cache::writeModelCache(description).value(), "copy").value();
  const documents::MemoryMap map =
      documents::makeMemoryMap(*model, timelineOf({{0, 0, kDmaOperation, 5, 15}, {1, 0, kDmaOperation, 20, 30}}), {});
  EXPECT_EQ(map.buffers[0].startCycle, 20u);
}

TEST(SramPeakTest, BuffersThatShareBytesCountOnceInPeak) {
  auto target = firmware::Target::load("e256").value();
  cache::ModelDescription description = runtime::test::copyModel(*target, 64);
  description.memoryPlan = {{"addend", firmware::kSramRegion, 0, 64, 0, 1},
                            {"sum", firmware::kSramRegion, 32, 32, 1, 1}};
  session::LoadedModel model;
  model.artefacts.model = cache::ModelCache::adopt(cache::writeModelCache(description).value(), "copy").value();
  model.target = target;
  EXPECT_EQ(analysis::makeReport(model, runtime::DeviceProperties{}, session::RunRecord{}).total.sramPeakBytes, 64u);
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
