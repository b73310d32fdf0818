//===- CacheTest.cpp - Prepared models in cache files -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "FileHook.h"

#include <functional>
#include <gmock/gmock.h>
#include <random>

namespace avocet::hal {
namespace {

using namespace testing;

using avocet::test::FileHook;
using CachingTest = CacheFixture;

TEST_F(CachingTest, LoadsFromCacheWithoutCompiler) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  restart(false);
  auto prepared = device_->prepareModelFromCache({}, files_);
  ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
  EXPECT_EQ(run(**prepared), (std::vector<float>{10, 20, 30}));
  EXPECT_FALSE(device_->prepareModel(model_, {}).isOk()) << "the compiler was there after all";
}

TEST_F(CachingTest, CachesModelsWithUnknownShapes) {
  ASSERT_NE(prepare(addModel({0, 2}), withCache()), nullptr);
  restart();
  auto prepared = device_->prepareModelFromCache({}, files_);
  ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
  TestPool inputs(48), outputs(24);
  inputs.as<float>()[5] = 2;
  Request request = requestOf({24, 24}, {24}, inputs, outputs);
  request.inputs[0].dimensions = request.inputs[1].dimensions = {3, 2};
  ExecutionOutcome outcome = (*prepared)->execute(request, {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(outputs.as<float>()[5], 2);
}

TEST_F(CachingTest, IgnoresOffsetsAndOldContents) {
  rewrite("model", std::vector<uint8_t>(1 << 16, 0xAB));
  rewrite("data", std::vector<uint8_t>(1 << 16, 0xCD));
  ::lseek(files_.modelCache[0]->get(), 5, SEEK_SET);
  ::lseek(files_.dataCache[0]->get(), 77, SEEK_SET);
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  EXPECT_EQ(load(), ErrorStatus::None);
}

TEST_F(CachingTest, RefusesEmptyFilesAndOtherTokens) {
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  CacheFiles other = files_;
  other.token[31] = 1;
  EXPECT_EQ(device_->prepareModelFromCache({}, other).code(), ErrorStatus::GeneralFailure);
}

TEST_F(CachingTest, BadCacheArgumentsFailOnlyTheLoad) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  SharedHandle closed = std::make_shared<const FileDescriptor>();
  SharedHandle readOnly = openFile("model", O_RDONLY), writeOnly = openFile("model", O_WRONLY);
  SharedHandle stale = std::make_shared<const FileDescriptor>(::dup(files_.modelCache[0]->get()));
  ::close(stale->get());
  for (const SharedHandle &bad : {closed, readOnly, writeOnly, SharedHandle(), stale}) {
    PrepareOptions options = withCache();
    options.cache.modelCache[0] = bad;
    EXPECT_TRUE(device_->prepareModel(model_, options).isOk());
    ErrorStatus status = device_->prepareModelFromCache({}, options.cache).code();
    EXPECT_TRUE(status == ErrorStatus::InvalidArgument || status == ErrorStatus::GeneralFailure);
  }
  (void)const_cast<FileDescriptor &>(*stale).release();
}

TEST_F(CachingTest, WrongNumbersOfFilesFailOnlyTheLoad) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  auto check = [&](const std::function<void(CacheFiles &)> &change) {
    PrepareOptions options = withCache();
    change(options.cache);
    EXPECT_TRUE(device_->prepareModel(model_, options).isOk());
    EXPECT_EQ(device_->prepareModelFromCache({}, options.cache).code(), ErrorStatus::InvalidArgument);
  };
  check([](CacheFiles &files) { files.modelCache.clear(); });
  check([](CacheFiles &files) { files.dataCache.clear(); });
  check([](CacheFiles &files) { files.modelCache.push_back(files.modelCache[0]); });
  check([](CacheFiles &files) { files.dataCache.push_back(files.dataCache[0]); });
}

TEST_F(CachingTest, RefusesEveryBitFlipInModelCache) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  std::vector<uint8_t> bytes = contents("model");
  size_t accepted = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    uint8_t flipped = bytes[bit / 8] ^ static_cast<uint8_t>(1 << bit % 8);
    ASSERT_EQ(::pwrite(files_.modelCache[0]->get(), &flipped, 1, static_cast<off_t>(bit / 8)), 1);
    accepted += load() != ErrorStatus::GeneralFailure;
    ASSERT_EQ(::pwrite(files_.modelCache[0]->get(), &bytes[bit / 8], 1, static_cast<off_t>(bit / 8)), 1);
  }
  EXPECT_EQ(accepted, 0u) << "of " << bytes.size() * 8;
  EXPECT_EQ(load(), ErrorStatus::None);
}

TEST_F(CachingTest, RefusesTruncatedExtendedAndSwappedFiles) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  std::vector<uint8_t> model = contents("model"), data = contents("data");
  std::vector<uint8_t> shorter(model.begin(), model.end() - 1), longer(model);
  longer.push_back(0);
  for (const std::vector<uint8_t> &bad : {shorter, longer, data, std::vector<uint8_t>()}) {
    rewrite("model", bad);
    EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  }
  rewrite("model", model);
  rewrite("data", model);
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  std::swap(files_.modelCache, files_.dataCache);
  rewrite("data", data);
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(CachingTest, DamagedDataIsRefused) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  std::vector<uint8_t> data = contents("data");
  ASSERT_FALSE(data.empty());
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<uint8_t> damaged = data;
    for (uint8_t &byte : damaged)
      byte = static_cast<uint8_t>(random());
    rewrite("data", damaged);
    auto prepared = device_->prepareModelFromCache({}, files_);
    ASSERT_FALSE(prepared.isOk());
    EXPECT_EQ(prepared.code(), ErrorStatus::GeneralFailure);
    EXPECT_THAT(prepared.error().message, ::testing::HasSubstr("damaged"));
  }
  rewrite("data", data);
  EXPECT_TRUE(device_->prepareModelFromCache({}, files_).isOk());
}

/// Another valid model replaces the saved one; only the hash differs.
class CachedModelSwapTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    ASSERT_NE(prepare(model_, withCache()), nullptr);
    good_ = contents("model");
    Model product = model_;
    product.main.operations[0].type = OperationType::Mul;
    PrepareOptions options;
    options.cache = openFiles("otherModel", "otherData", O_RDWR | O_CREAT);
    options.cache.token[31] = 1;
    ASSERT_NE(prepare(product, options), nullptr);
    other_ = contents("otherModel");
    auto loaded = loadModel(options.cache);
    ASSERT_NE(loaded, nullptr);
    ASSERT_EQ(run(*loaded), (std::vector<float>{0, 0, 0})) << "the other model gives other results";
  }
  const FileDescriptor &modelFile() const { return *files_.modelCache[0]; }

  std::vector<uint8_t> good_, other_;
};

TEST_F(CachedModelSwapTest, SwapAfterReadHasNoEffect) {
  FileHook hook(modelFile(), FileHook::Call::Read, [&] { rewrite("model", other_); });
  auto prepared = loadModel(files_);
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(run(*prepared), (std::vector<float>{10, 20, 30}));
  EXPECT_GE(hook.runs(), 1u);
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(CachedModelSwapTest, RestoringModelAfterReadIsTooLate) {
  rewrite("model", other_);
  FileHook hook(modelFile(), FileHook::Call::Read, [&] { rewrite("model", good_); });
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  EXPECT_GE(hook.runs(), 1u);
}

TEST_F(CachedModelSwapTest, SwapDuringSaveIsRefusedOnLoad) {
  rewrite("model", {});
  FileHook hook(modelFile(), FileHook::Call::Write, [&] { rewrite("model", other_); });
  EXPECT_NE(prepare(model_, withCache()), nullptr);
  EXPECT_GE(hook.runs(), 1u);
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(CachingTest, OtherTargetRefusesTheFiles) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  DriverOptions options;
  options.cacheDirectory = folder_ / "driver";
  options.target = "m512";
  open(options);
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(CachingTest, DeviceWithoutDirectoryOffersNoCaching) {
  open({});
  EXPECT_EQ(device_->numberOfCacheFilesNeeded().numModelCache, 0u);
  EXPECT_TRUE(device_->prepareModel(model_, withCache()).isOk());
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(CachingTest, DriverCacheReplacesCompilation) {
  DriverOptions options;
  options.cacheDirectory = folder_ / "driver";
  options.blobCacheBytes = 1 << 20;
  open(options);
  ASSERT_NE(prepare(model_), nullptr);
  options.compilerLibrary = "/nonexistent/libavocetCompiler.so";
  open(options);
  auto prepared = prepare(model_);
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(run(*prepared), (std::vector<float>{10, 20, 30}));
  EXPECT_FALSE(device_->prepareModel(addConstantModel({10, 20, 31}), {}).isOk());
}

/// The client's cache file claims 1 MiB, but it is a hole.
TEST_F(CachingTest, RejectsFilesAboveMemoryLimit) {
  ASSERT_EQ(::ftruncate(files_.modelCache[0]->get(), 1 << 20), 0);
  ClientQuotas quotas;
  quotas.memoryBytes = 1 << 16;
  EXPECT_EQ(connect(quotas)->prepareModelFromCache({}, files_).code(), ErrorStatus::ResourceExhaustedPersistent);
}

} // namespace
} // namespace avocet::hal
