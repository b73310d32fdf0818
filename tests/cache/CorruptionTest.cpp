//===- CorruptionTest.cpp - Broken bytes are refused ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "SmallModel.h"
#include "avocet/base/File.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/cache/ModelCacheWriter.h"

#include "modelCache_generated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

using namespace avocet;
using namespace avocet::cache;
using testing::HasSubstr;

namespace {

std::vector<uint8_t> smallBytes() { return *writeModelCache(smallLoopModel()); }

/// Calls `use` once for each bit, with that bit changed.
void flipEachBit(std::vector<uint8_t> bytes, const std::function<void(const std::vector<uint8_t> &, size_t bit)> &use) {
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= 1u << bit % 8;
    use(bytes, bit);
    bytes[bit / 8] ^= 1u << bit % 8;
  }
}

/// Reads all values of a cache, so that the sanitizers detect a wrong view.
uint64_t touchEverything(const ModelCache &cache) {
  uint64_t sum = cache.modelName().size() + cache.compilerVersion().size() + cache.scratchBytes();
  auto touchOperand = [&](const OperandView &operand) {
    for (int32_t extent : operand.shape)
      sum += static_cast<uint64_t>(extent);
    sum += operand.name.size() + operand.scales.size() + operand.zeroPoints.size();
  };
  for (size_t i = 0; i < cache.numInputs(); ++i)
    touchOperand(cache.input(i));
  for (size_t i = 0; i < cache.numOutputs(); ++i)
    touchOperand(cache.output(i));
  for (size_t i = 0; i < cache.numRegions(); ++i)
    sum += cache.region(i).bytes;
  for (size_t i = 0; i < cache.numStreams(); ++i)
    sum += firmware::decodeStream(cache.stream(i).words)->size() + cache.stream(i).section;
  sum += firmware::decodeControl(cache.control())->size();
  for (size_t i = 0; i < cache.numMemoryEntries(); ++i)
    sum += cache.memoryEntry(i).name.size();
  for (size_t i = 0; i < cache.numLayers(); ++i)
    sum += cache.layer(i).name.size() + cache.layer(i).operation.size();
  for (size_t i = 0; i < cache.numSourceEntries(); ++i)
    sum += cache.sourceEntry(i).location.size();
  return sum;
}

TEST(Corruption, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = smallBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Status status = ModelCache::adopt({bytes.begin(), bytes.begin() + size}, "cut.avom").status();
    ASSERT_EQ(status.code(), StatusCode::DataLoss) << size;
    ASSERT_THAT(status.message(), HasSubstr("cut.avom: ")) << size;
  }
}

TEST(Corruption, EverySingleBitFlipIsRefused) {
  flipEachBit(smallBytes(), [](const std::vector<uint8_t> &bytes, size_t bit) {
    Status status = ModelCache::adopt(bytes, "flipped.avom").status();
    EXPECT_FALSE(status.isOk()) << "bit " << bit;
    EXPECT_THAT(status.message(), HasSubstr("flipped.avom: ")) << "bit " << bit;
  });
}

TEST(Corruption, ValidChecksumBitFlipsAreRefusedOrHarmless) {
  std::vector<uint8_t> file = smallBytes();
  std::vector<uint8_t> flatBuffer(file.begin() + kModelHeaderBytes, file.end());
  size_t refused = 0;
  flipEachBit(flatBuffer, [&refused](const std::vector<uint8_t> &bytes, size_t bit) {
    Result<std::shared_ptr<const ModelCache>> cache = ModelCache::adopt(wrapModel(bytes), "flipped.avom");
    if (cache)
      EXPECT_GT(touchEverything(**cache), 0u) << "bit " << bit;
    else
      EXPECT_FALSE(cache.status().message().empty()) << "bit " << bit;
    refused += !cache;
  });
  // Undetected changes can affect names, figures of reports, addresses within bounds and padding: clearly less than two
  // thirds.
  EXPECT_GT(refused, flatBuffer.size() * 8 / 3);
}

TEST(Corruption, OtherFilesAreRefused) {
  for (std::string text : {"", "AVOM", "not a model cache", "\x10\x00\x00\x00TFL3............"}) {
    Status status = ModelCache::adopt({text.begin(), text.end()}, "other").status();
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_THAT(status.message(), HasSubstr("identifier AVOM"));
  }
}

/// The fuzz target would reject such seeds at once and test nothing with them.
TEST(Corruption, SeedsOfTheFuzzTargetAreValid) {
  size_t seeds = 0;
  for (const auto &entry : std::filesystem::directory_iterator(AVOCET_ARTEFACT_SEEDS)) {
    Result<std::vector<uint8_t>> bytes = readFile(entry.path().string());
    ASSERT_TRUE(bytes) << bytes.status().toString();
    Result<std::shared_ptr<const ModelCache>> cache = ModelCache::adopt(*std::move(bytes), entry.path().string());
    EXPECT_TRUE(cache) << cache.status().toString() << "; run avocetMakeSeeds";
    ++seeds;
  }
  EXPECT_GE(seeds, 3u);
}

TEST(Corruption, OtherFormatVersionsAreRefused) {
  std::vector<uint8_t> bytes = smallBytes();
  bytes[4] += 1;
  Status newer = ModelCache::adopt(bytes, "new.avom").status();
  EXPECT_EQ(newer.code(), StatusCode::Unsupported);
  EXPECT_THAT(newer.message(), HasSubstr("format version is 7, this build reads 6"));
  Status older = ModelCache::adopt({bytes.begin() + kModelHeaderBytes, bytes.end()}, "old.avom").status();
  EXPECT_EQ(older.code(), StatusCode::Unsupported);
  EXPECT_THAT(older.message(), HasSubstr("format version is older than 4"));
}

TEST(Corruption, DamageIsReportedAsDamage) {
  std::vector<uint8_t> bytes = smallBytes();
  bytes.back() ^= 1;
  Status status = ModelCache::adopt(bytes, "damaged.avom").status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_THAT(status.message(), HasSubstr("damaged.avom: is damaged"));
}

TEST(Corruption, OtherEncodingsAndBadNamesAreRefused) {
  std::vector<uint8_t> bytes = smallBytes();
  fb::ModelT model;
  fb::GetModel(bytes.data() + kModelHeaderBytes)->UnPackTo(&model);
  auto repack = [&] {
    flatbuffers::FlatBufferBuilder builder;
    fb::FinishModelBuffer(builder, fb::Model::Pack(builder, &model));
    return ModelCache::adopt(wrapModel({builder.GetBufferPointer(), builder.GetSize()}), "old.avom").status();
  };
  EXPECT_TRUE(repack()) << repack().toString();
  model.encoding_version += 1;
  EXPECT_EQ(repack().code(), StatusCode::Unsupported);
  model.encoding_version -= 1;
  model.model_name = "bell\a";
  EXPECT_THAT(repack().message(), HasSubstr("model_name: byte 4"));
}

} // namespace
