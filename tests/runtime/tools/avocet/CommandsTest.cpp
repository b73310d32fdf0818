//===- CommandsTest.cpp - Commands, their times and semaphores --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"
#include "SmallModel.h"
#include "avocet/analysis/CommandTimes.h"
#include "avocet/analysis/SemaphoreOrder.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/analysis/StepTimes.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/SimBackend.h"
#include "avocet/session/LocalSession.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using cache::ModelDescription;
using firmware::Command;
using firmware::EngineKind;
using firmware::SignalCommand;
using firmware::WaitCommand;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr firmware::Engine kMac{EngineKind::Mac, 0}, kDma{EngineKind::Dma, 0};
constexpr size_t kMacStream = 0, kDmaStream = 1; // of the small model

std::shared_ptr<const cache::ModelCache> modelOf(const ModelDescription &description) {
  return cache::ModelCache::adopt(cache::writeModelCache(description).value(), "small").value();
}

analysis::CommandStreams streamsOf(const ModelDescription &description) {
  return analysis::CommandStreams(*modelOf(description));
}

firmware::CommandSpan span(const firmware::Engine &engine, uint32_t command, uint64_t start, uint64_t end) {
  return {engine, command, 0, 0, start, end};
}

analysis::CommandTimes timesOf(const analysis::CommandStreams &streams, std::vector<firmware::CommandSpan> spans) {
  firmware::JobProfile profile;
  profile.record.counters.cycles = 100;
  profile.spans = std::move(spans);
  return analysis::CommandTimes::from(streams, profile);
}

/// Both streams signal semaphore 1: the array after its work, and the channel after two loads.
analysis::CommandStreams twoSignalers() {
  ModelDescription model = cache::smallModel();
  std::vector<Command> dma = cache::smallDmaCommands(); // load, load, signal 0, wait, store, end
  dma.insert(dma.begin() + 3, {0, SignalCommand{1}});
  dma[4].body = WaitCommand{1, 2};
  model.streams[kDmaStream].words = firmware::encodeStream(dma);
  return streamsOf(model);
}

TEST(CommandStreamsTest, NamesAndPlacesAreInverse) {
  const analysis::CommandStreams streams = streamsOf(cache::smallModel());
  ASSERT_TRUE(streams.isStraight());
  size_t count = 0;
  streams.forEach([&](const analysis::CommandPlace &place, const Command &command) {
    EXPECT_EQ(streams.find(streams.nameOf(place)).value(), place);
    EXPECT_THAT(streams.placeOf(streams.engine(place.stream), place.command), Optional(place));
    EXPECT_EQ(streams.command(place), command);
    ++count;
  });
  EXPECT_EQ(count, cache::smallMacCommands().size() + cache::smallDmaCommands().size());
  EXPECT_EQ(streams.nameOf({kDmaStream, 4}), "dma0:4");
  EXPECT_EQ(streams.placeOf(kMac, 4), std::nullopt);
  EXPECT_EQ(streams.placeOf({EngineKind::Dsp, 0}, 0), std::nullopt);
}

TEST(CommandStreamsTest, UnknownNameListsAllCommands) {
  const analysis::CommandStreams streams = streamsOf(cache::smallModel());
  for (const char *name : {"mac:4", "mac:-1", "mac", "", ":", "dsp:0", "mac:0 "})
    EXPECT_THAT(streams.find(name).status().message(),
                HasSubstr("is not a command of 'small'; its commands are mac:0 to mac:3, dma0:0 to dma0:5"))
        << name;
}

TEST(CommandStreamsTest, SectionsHaveNamesOfTheirOwn) {
  const analysis::CommandStreams streams = streamsOf(cache::smallLoopModel());
  EXPECT_FALSE(streams.isStraight());
  EXPECT_EQ(streams.nameOf({2, 1}), "mac.1:1");
  EXPECT_EQ(streams.find("mac.1:1").value(), (analysis::CommandPlace{2, 1}));
  EXPECT_THAT(streams.findStream(kMac, 1), Optional(size_t{2}));
  EXPECT_EQ(streams.placeOf(kMac, 1), std::nullopt);
  EXPECT_EQ(streams.numSections(), 2u);
}

TEST(CommandStreamsTest, OnlyTransfersAndComputationAreWork) {
  std::vector<analysis::CommandPlace> work;
  const analysis::CommandStreams streams = streamsOf(cache::smallYieldingModel());
  streams.forEach([&](const analysis::CommandPlace &place, const Command &command) {
    if (analysis::isWork(command))
      work.push_back(place);
  });
  EXPECT_THAT(work, ElementsAre(analysis::CommandPlace{0, 2}, analysis::CommandPlace{1, 0},
                                analysis::CommandPlace{1, 1}, analysis::CommandPlace{1, 6}));
}

TEST(CommandTimesTest, CycleHasCommandsThatRun) {
  const analysis::CommandStreams streams = streamsOf(cache::smallModel());
  const analysis::CommandTimes times =
      timesOf(streams, {span(kDma, 0, 0, 20), span(kMac, 1, 20, 60), span(kDma, 1, 5, 30), span(kMac, 99, 0, 99),
                        span({EngineKind::Dsp, 0}, 0, 0, 99)});
  EXPECT_EQ(times.cycles(), 100u);
  EXPECT_THAT(times.at(20), ElementsAre(analysis::CommandPlace{kMacStream, 1}, analysis::CommandPlace{kDmaStream, 1}));
  EXPECT_THAT(times.at(60), IsEmpty());
  EXPECT_THAT(times.of({kDmaStream, 1}), Optional(analysis::CycleRange{5, 30}));
  EXPECT_EQ(times.of({kMacStream, 0}), std::nullopt);
}

/// Section 1 of the loop runs in cycles 10 to 40 and 50 to 80; section 0 does not run.
analysis::CommandTimes timesOfLoop(const analysis::CommandStreams &streams) {
  firmware::JobProfile profile;
  profile.record.counters.cycles = 100;
  profile.sections = {{1, 10, 40}, {1, 50, 80}};
  profile.spans = {{kMac, 1, 0, 0, 12, 20, 0}, {kMac, 1, 0, 0, 55, 70, 1}, {kMac, 0, 0, 0, 50, 52, 1}};
  return analysis::CommandTimes::from(streams, profile);
}

TEST(CommandTimesTest, EachRunOfASectionHasTimes) {
  const analysis::CommandStreams streams = streamsOf(cache::smallLoopModel());
  const analysis::CommandTimes times = timesOfLoop(streams);
  const analysis::CommandPlace work{2, 1};
  EXPECT_THAT(times.of(work, 0), Optional(analysis::CycleRange{12, 20}));
  EXPECT_THAT(times.of(work, 1), Optional(analysis::CycleRange{55, 70}));
  EXPECT_THAT(times.of(work), Optional(analysis::CycleRange{12, 20}));
  EXPECT_EQ(times.of({2, 0}), std::nullopt); // only in the second run
  EXPECT_THAT(times.runsOf(1), ElementsAre(0u, 1u));
  EXPECT_THAT(times.at(60), ElementsAre(work));
}

TEST(CommandTimesTest, SectionThatDoesNotRunHasNoTimes) {
  const analysis::CommandStreams streams = streamsOf(cache::smallLoopModel());
  const analysis::CommandTimes times = timesOfLoop(streams);
  EXPECT_THAT(times.runsOf(0), IsEmpty());
  EXPECT_EQ(times.of({0, 0}), std::nullopt);
  EXPECT_EQ(times.of({0, 0}, 1), std::nullopt);
}

TEST(CommandTimesTest, ControlProgramRunsBetweenSections) {
  const analysis::CommandStreams streams = streamsOf(cache::smallLoopModel());
  const analysis::CommandTimes times = timesOfLoop(streams);
  EXPECT_THAT(times.runAt(39), Optional(size_t{0}));
  EXPECT_EQ(times.runAt(40), std::nullopt);
  EXPECT_THAT(times.at(45), IsEmpty());
  EXPECT_THAT(times.runAt(50), Optional(size_t{1}));
}

/// Copies 64 bytes on the target e256, for which the simulator is ready.
session::LoadedModel copyModel() {
  runtime::registerSimBackend();
  session::LoadedModel model;
  model.name = "copy";
  model.target = firmware::Target::load("e256").value();
  model.artefacts.model = modelOf(runtime::test::copyModel(*model.target, 64));
  model.artefacts.data = cache::DataCache::fromBytes({}).value();
  return model;
}

TEST(RunTimedTest, ProfileChangesNoCycles) {
  const session::LoadedModel model = copyModel();
  const session::TimedRun plain = session::runTimed(model, session::Profiling::Off).value(),
                          profiled = session::runTimed(model, session::Profiling::On).value();
  EXPECT_EQ(plain.device.backend, "sim");
  EXPECT_FALSE(plain.device.computes);
  EXPECT_GT(plain.record.outcome.counters.cycles, 0u);
  EXPECT_EQ(plain.record.outcome.counters.cycles, profiled.record.outcome.counters.cycles);
  EXPECT_THAT(plain.record.profile.spans, IsEmpty());
  EXPECT_EQ(profiled.record.profile.spans.size(), 2u);
}

TEST(RunTimedTest, MeasuredTimesAreThoseOfTheProfile) {
  const session::LoadedModel model = copyModel();
  const analysis::CommandStreams streams(*model.artefacts.model);
  const analysis::CommandTimes times = analysis::CommandTimes::measure(model, streams).value();
  const analysis::CommandTimes same =
      analysis::CommandTimes::from(streams, session::runTimed(model, session::Profiling::On)->record.profile);
  EXPECT_GT(times.cycles(), 0u);
  EXPECT_EQ(times.cycles(), same.cycles());
  for (uint32_t command : {0, 1}) {
    EXPECT_NE(times.of({0, command}), std::nullopt);
    EXPECT_EQ(times.of({0, command}), same.of({0, command}));
  }
}

TEST(SemaphoreOrderTest, WaitAndSignalFindEachOther) {
  const analysis::SemaphoreOrder order(streamsOf(cache::smallModel()));
  const analysis::CommandPlace loaded{kDmaStream, 2}, forLoads{kMacStream, 0}, computed{kMacStream, 2},
      forResult{kDmaStream, 3};
  EXPECT_THAT(order.signalOf(forLoads), Optional(loaded));
  EXPECT_THAT(order.waitsOf(loaded), ElementsAre(forLoads));
  EXPECT_THAT(order.signalOf(forResult), Optional(computed));
  EXPECT_THAT(order.waitsOf(computed), ElementsAre(forResult));
  EXPECT_THAT(order.workAfter(forResult), Optional(analysis::CommandPlace{kDmaStream, 4}));
  EXPECT_EQ(order.signalOf(loaded), std::nullopt);
  EXPECT_THAT(order.waitsOf(forLoads), IsEmpty());
}

TEST(SemaphoreOrderTest, SectionsHaveSemaphoresOfTheirOwn) {
  const analysis::SemaphoreOrder order(streamsOf(cache::smallLoopModel())); // streams 2 and 3 are those of section 1
  EXPECT_THAT(order.signalOf({0, 0}), Optional(analysis::CommandPlace{1, 2}));
  EXPECT_THAT(order.signalOf({2, 0}), Optional(analysis::CommandPlace{3, 2}));
  EXPECT_THAT(order.waitsOf({0, 2}), ElementsAre(analysis::CommandPlace{1, 3}));
}

TEST(SemaphoreOrderTest, SignalsOfTwoStreamsCountByCycle) {
  const analysis::CommandStreams streams = twoSignalers();
  const analysis::CommandPlace wait{kDmaStream, 4}, ofArray{kMacStream, 2}, ofLoads{kDmaStream, 3};
  const analysis::CommandTimes times =
      timesOf(streams, {span(kDma, 0, 0, 20), span(kDma, 1, 5, 30), span(kMac, 1, 30, 60)});
  EXPECT_THAT(analysis::SemaphoreOrder(streams, &times).signalOf(wait), Optional(ofArray));
  EXPECT_THAT(analysis::SemaphoreOrder(streams).signalOf(wait), Optional(ofLoads)); // the array's stream is the first
}

TEST(SemaphoreOrderTest, SignalIsGivenAfterBlockingWait) {
  ModelDescription model = cache::smallModel(); // the array signals 2 between its wait and its work, the channel before
  std::vector<Command> mac = cache::smallMacCommands(), dma = cache::smallDmaCommands();
  mac.insert(mac.begin() + 1, {0, SignalCommand{2}});
  dma.insert(dma.begin() + 1, {0, SignalCommand{2}});
  dma.insert(dma.begin() + 4, {0, WaitCommand{2, 2}});
  model.streams[kMacStream].words = firmware::encodeStream(mac);
  model.streams[kDmaStream].words = firmware::encodeStream(dma);
  const analysis::CommandStreams streams = streamsOf(model);
  const analysis::CommandTimes times =
      timesOf(streams, {span(kMac, 0, 0, 30), span(kDma, 0, 0, 20), span(kDma, 2, 20, 30)});
  EXPECT_THAT(analysis::SemaphoreOrder(streams, &times).signalOf({kDmaStream, 4}),
              Optional(analysis::CommandPlace{kMacStream, 1}));
}

TEST(SemaphoreOrderTest, WorkBeforeSignalIsTheLastToEnd) {
  const analysis::CommandStreams streams = twoSignalers();
  const analysis::CommandPlace signal{kDmaStream, 2}, first{kDmaStream, 0}, second{kDmaStream, 1};
  const analysis::CommandTimes overtaken = timesOf(streams, {span(kDma, 0, 0, 40), span(kDma, 1, 5, 30)});
  const analysis::CommandTimes inOrder = timesOf(streams, {span(kDma, 0, 0, 20), span(kDma, 1, 5, 30)});
  EXPECT_THAT(analysis::SemaphoreOrder(streams, &overtaken).workBefore(signal), Optional(first));
  EXPECT_THAT(analysis::SemaphoreOrder(streams, &inOrder).workBefore(signal), Optional(second));
  EXPECT_THAT(analysis::SemaphoreOrder(streams).workBefore(signal), Optional(second));
}

TEST(SemaphoreOrderTest, NothingIsBeforeEarlySignal) {
  ModelDescription model = cache::smallModel();
  std::vector<Command> dma = cache::smallDmaCommands();
  std::swap(dma[0], dma[2]); // signal, load, load
  model.streams[kDmaStream].words = firmware::encodeStream(dma);
  const analysis::SemaphoreOrder order(streamsOf(model));
  EXPECT_EQ(order.workBefore({kDmaStream, 0}), std::nullopt);
  EXPECT_EQ(order.workBefore({kDmaStream, 1}), std::nullopt); // is no signal
}

TEST(SemaphoreOrderTest, WaitForZeroNeedsNoSignal) {
  ModelDescription model = cache::smallModel();
  std::vector<Command> mac = cache::smallMacCommands();
  mac[0].body = WaitCommand{0, 0};
  model.streams[kMacStream].words = firmware::encodeStream(mac);
  EXPECT_EQ(analysis::SemaphoreOrder(streamsOf(model)).signalOf({kMacStream, 0}), std::nullopt);
}

TEST(LayerTilesTest, LargestOutputOfLayerIsKept) {
  ModelDescription model = cache::smallModel();
  firmware::ConvCommand part = cache::smallConv();
  part.output.channels = 1;
  std::vector<Command> mac = cache::smallMacCommands(); // wait, conv, signal, end
  mac.insert(mac.begin() + 1, {0, part});
  mac.insert(mac.begin() + 3, {0, part});
  mac.insert(mac.begin() + 3, {firmware::kNoLayer, part});
  model.streams[kMacStream].words = firmware::encodeStream(mac);
  const std::vector<analysis::LayerTiles> tiles = analysis::tilesOf(streamsOf(model), 1);
  ASSERT_EQ(tiles.size(), 1u);
  EXPECT_EQ(tiles[0].count, 3u);
  EXPECT_EQ(tiles[0].rows, 1u);
  EXPECT_EQ(tiles[0].columns, 1u);
  EXPECT_EQ(tiles[0].channels, 2u);
}

TEST(StepTimesTest, StepLastsUntilItsLastPart) {
  ModelDescription model = cache::smallMappedModel();
  model.streams[kDmaStream].sources = {{7}, {7}, {7}, {9}, {9}, {}}; // the compiler divided step 7
  const analysis::SourceMap map = analysis::SourceMap::open(modelOf(model)).value();
  const analysis::StepTimes steps(map, timesOf(map, {span(kDma, 0, 3, 20), span(kDma, 1, 5, 30), span(kDma, 3, 30, 70),
                                                     span(kDma, 4, 70, 90), span(kMac, 1, 31, 60)}));
  EXPECT_THAT(steps.of(7, 7), Optional(analysis::CycleRange{3, 30}));
  EXPECT_THAT(steps.of(7, 9), Optional(analysis::CycleRange{3, 90}));
  EXPECT_THAT(steps.of(9, 9), Optional(analysis::CycleRange{70, 90})); // the wait of the step is no work
  EXPECT_THAT(steps.of(2, 8), Optional(analysis::CycleRange{31, 60})); // nothing is done in step 8
  EXPECT_EQ(steps.of(8, 8), std::nullopt);
}

} // namespace
} // namespace avocet::tool::test
