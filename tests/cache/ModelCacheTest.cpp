//===- ModelCacheTest.cpp - Reading back written models ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelCache.h"
#include "SmallModel.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace avocet;
using namespace avocet::cache;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::shared_ptr<const ModelCache> roundTrip(const ModelDescription &model) {
  Result<std::vector<uint8_t>> bytes = writeModelCache(model);
  EXPECT_TRUE(bytes) << bytes.status().toString();
  Result<std::shared_ptr<const ModelCache>> cache = ModelCache::adopt(*bytes, "test");
  EXPECT_TRUE(cache) << cache.status().toString();
  return cache ? *cache : nullptr;
}

TEST(ModelCache, KeepsScalarsAndNames) {
  auto cache = roundTrip(smallModel());
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->compilerVersion(), "avocet 0.1.0");
  EXPECT_EQ(cache->modelName(), "small");
  EXPECT_EQ(cache->targetName(), "e256");
  EXPECT_EQ(cache->targetFingerprint(), 0x1234u);
  EXPECT_EQ(cache->dataBytes(), 56u);
  EXPECT_EQ(cache->scratchBytes(), 64u);
  EXPECT_EQ(cache->sramPeakBytes(), 88u);
  EXPECT_EQ(cache->rooflineCycles(), 7u);
  EXPECT_EQ(cache->deviceCycles(), 8u);
  EXPECT_EQ(cache->leastDramBytes(), 50u);
  EXPECT_EQ(cache->predictedCycles(), 9u);
}

TEST(ModelCache, KeepsOperands) {
  auto cache = roundTrip(smallModel());
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->numInputs(), 1u);
  ASSERT_EQ(cache->numOutputs(), 1u);
  OperandView input = cache->input(0), output = cache->output(0);
  EXPECT_EQ(input.name, "x");
  EXPECT_EQ(input.type, firmware::DataType::Int8);
  EXPECT_EQ(input.bytes, 16u);
  EXPECT_THAT(input.shape, ElementsAre(1, 16));
  EXPECT_THAT(input.scales, ElementsAre(0.5f));
  EXPECT_THAT(input.zeroPoints, ElementsAre(-3));
  EXPECT_THAT(output.scales, ElementsAre(0.25f, 0.125f));
  EXPECT_EQ(output.axis, 1);
}

TEST(ModelCache, KeepsRegionsAndStreams) {
  auto cache = roundTrip(smallModel());
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->numRegions(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(cache->region(i), smallModel().regions[i]);
  ASSERT_EQ(cache->numStreams(), 2u);
  EXPECT_EQ(cache->stream(1).engine, (firmware::Engine{firmware::EngineKind::Dma, 0}));
  Result<std::vector<firmware::Command>> commands = firmware::decodeStream(cache->stream(1).words);
  ASSERT_TRUE(commands);
  EXPECT_EQ(*commands, smallDmaCommands());
}

TEST(ModelCache, KeepsTheControlProgram) {
  auto cache = roundTrip(smallLoopModel());
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->numStreams(), 4u);
  EXPECT_EQ(cache->stream(1).section, 0u);
  EXPECT_EQ(cache->stream(3).section, 1u);
  auto program = firmware::decodeControl(cache->control());
  ASSERT_TRUE(program);
  EXPECT_EQ(*program, smallControl());
  EXPECT_TRUE(roundTrip(smallModel())->control().empty());
}

TEST(ModelCache, KeepsReports) {
  auto cache = roundTrip(smallModel());
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->numMemoryEntries(), 3u);
  MemoryEntryView spill = cache->memoryEntry(2);
  EXPECT_EQ(spill.name, "spill");
  EXPECT_EQ(spill.region, 4u);
  EXPECT_EQ(spill.address, 8u);
  EXPECT_EQ(spill.bytes, 32u);
  ASSERT_EQ(cache->numLayers(), 1u);
  LayerView layer = cache->layer(0);
  EXPECT_EQ(layer.operation, "FULLY_CONNECTED");
  EXPECT_EQ(layer.macs, 32u);
  EXPECT_EQ(layer.rooflineCycles, 4u);
  EXPECT_EQ(layer.computeCycles, 3u);
  EXPECT_EQ(layer.deviceCycles, 5u);
  ASSERT_EQ(cache->numSourceEntries(), 1u);
  EXPECT_EQ(cache->sourceEntry(0).location, "small.tflite: operator 0");
}

TEST(ModelCache, KeepsTheSourceMap) {
  const ModelDescription model = smallMappedModel();
  auto cache = roundTrip(model);
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->numSourceEntries(), 2u);
  EXPECT_EQ(cache->sourceEntry(0).operation, 3u);
  EXPECT_EQ(cache->sourceEntry(0).kind, "FULLY_CONNECTED");
  EXPECT_EQ(cache->sourceEntry(1).operation, kNoSource);
  EXPECT_EQ(cache->sourceEntry(1).kind, "");
  ASSERT_EQ(cache->numSourceOperations(), 1u);
  EXPECT_EQ(cache->sourceOperation(0).name, "y");
  EXPECT_EQ(cache->sourceOperation(0).channels, 2u);
  EXPECT_EQ(cache->memoryEntry(0).operation, kNoSource);
  EXPECT_EQ(cache->memoryEntry(1).operation, 0u);
  for (size_t i = 0; i < model.streams.size(); ++i)
    EXPECT_THAT(cache->stream(i).sources, ElementsAreArray(model.streams[i].sources));
}

TEST(ModelCache, SourceMapIsOptional) {
  auto cache = roundTrip(smallModel());
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->numSourceOperations(), 0u);
  EXPECT_THAT(cache->stream(0).sources, IsEmpty());
  EXPECT_EQ(cache->memoryEntry(1).operation, kNoSource);
}

TEST(ModelCache, OptionalFieldsMayBeAbsent) {
  ModelDescription model = smallModel();
  model.inputs[0].quantization = {};
  model.regions.pop_back();
  model.memoryPlan.pop_back();
  auto cache = roundTrip(model);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->scratchBytes(), 0u);
  EXPECT_THAT(cache->input(0).scales, IsEmpty());
}

TEST(ModelCache, EqualDescriptionsGiveEqualBytes) {
  EXPECT_EQ(*writeModelCache(smallModel()), *writeModelCache(smallModel()));
}

TEST(ModelCache, UnprintableNamesAreCleaned) {
  ModelDescription model = smallModel();
  model.inputs[0].name = "a\x1B[2Jb\xFF";
  auto cache = roundTrip(model);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->input(0).name, "a?[2Jb?");
}

TEST(ModelCache, RefusesModelsBeyondOffsetLimit) {
  ModelDescription model = smallModel();
  model.sourceMap.resize(kMaxModelBytes / 256); // an entry counts as 256 bytes
  Result<std::vector<uint8_t>> bytes = writeModelCache(model);
  EXPECT_EQ(bytes.status().code(), StatusCode::ResourceExhausted);
}

TEST(ModelCache, RefusesOtherTargets) {
  auto e256 = firmware::Target::load("e256"), m512 = firmware::Target::load("m512");
  ASSERT_TRUE(e256 && m512);
  ModelDescription model = smallModel();
  model.targetFingerprint = (*e256)->fingerprint();
  auto cache = roundTrip(model);
  ASSERT_TRUE(cache);
  EXPECT_TRUE(cache->requireTarget(**e256));
  Status wrong = cache->requireTarget(**m512);
  EXPECT_EQ(wrong.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(wrong.message(), HasSubstr("not for m512"));
}

TEST(ModelCache, RefusesTargetWithLessMemory) {
  auto e256 = firmware::Target::load("e256");
  ASSERT_TRUE(e256);
  ModelDescription model = smallModel();
  model.targetFingerprint = (*e256)->fingerprint();
  model.sramPeakBytes = (*e256)->sram().bytes + 1;
  auto cache = roundTrip(model);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->requireTarget(**e256).code(), StatusCode::FailedPrecondition);
}

} // namespace
