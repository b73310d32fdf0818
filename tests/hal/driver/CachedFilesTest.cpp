//===- CachedFilesTest.cpp - Cache files that models are loaded from ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"

#include <sys/mman.h>

namespace avocet::hal {
namespace {

using namespace testing;

using Floats = std::vector<float>;

/// The client's files are memory files that accept seals.
class CachedFilesTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    files_ = {{memoryFile()}, {memoryFile()}, kToken};
  }
  static SharedHandle memoryFile() {
    return std::make_shared<const FileDescriptor>(std::move(createMemoryFile("cache", 0)).value());
  }
  static int sealsOf(const SharedHandle &file) { return ::fcntl(file->get(), F_GET_SEALS); }
  const SharedHandle &modelFile() const { return files_.modelCache[0]; }
  const SharedHandle &dataFile() const { return files_.dataCache[0]; }

  const Model other_ = addConstantModel({1, 2, 3});
};

TEST_F(CachedFilesTest, FilesAreNotSealed) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  auto prepared = loadModel(files_);
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(run(*prepared), (Floats{10, 20, 30}));
  EXPECT_EQ(sealsOf(modelFile()), 0);
  EXPECT_EQ(sealsOf(dataFile()), 0);
}

TEST_F(CachedFilesTest, AcceptAnotherModelWhileFirstRuns) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  auto running = loadModel(files_);
  ASSERT_NE(running, nullptr);
  ASSERT_NE(prepare(other_, withCache()), nullptr);
  auto second = loadModel(files_);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(run(*second), (Floats{1, 2, 3}));
  EXPECT_EQ(run(*running), (Floats{10, 20, 30}));
}

TEST_F(CachedFilesTest, ModelRunsAfterFilesShrink) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  auto running = loadModel(files_);
  ASSERT_NE(running, nullptr);
  ASSERT_EQ(::ftruncate(dataFile()->get(), 0), 0);
  ASSERT_EQ(::ftruncate(modelFile()->get(), 0), 0);
  EXPECT_EQ(run(*running), (Floats{10, 20, 30}));
}

/// A client seals its file so that the driver maps the constants.
TEST_F(CachedFilesTest, ClientMaySealFiles) {
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  ASSERT_EQ(::fcntl(dataFile()->get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK), 0);
  auto running = loadModel(files_);
  ASSERT_NE(running, nullptr);
  EXPECT_EQ(run(*running), (Floats{10, 20, 30}));
  // Another model cannot be written to the sealed file. The preparation still succeeds, and no wrong model is loaded.
  EXPECT_NE(prepare(other_, withCache()), nullptr);
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  EXPECT_EQ(run(*running), (Floats{10, 20, 30}));
}

TEST_F(CachedFilesTest, OffsetsAndFlagsAreKept) {
  ASSERT_EQ(::lseek(modelFile()->get(), 5, SEEK_SET), 5);
  ASSERT_EQ(::lseek(dataFile()->get(), 77, SEEK_SET), 77);
  const int flags = ::fcntl(dataFile()->get(), F_GETFL);
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  ASSERT_NE(loadModel(files_), nullptr);
  EXPECT_EQ(::lseek(modelFile()->get(), 0, SEEK_CUR), 5);
  EXPECT_EQ(::lseek(dataFile()->get(), 0, SEEK_CUR), 77);
  EXPECT_EQ(::fcntl(dataFile()->get(), F_GETFL), flags);
}

TEST_F(CachedFilesTest, RejectsConstantsAboveMemoryLimit) {
  const Model large = addConstantModel(Floats(1 << 16, 1));
  ASSERT_NE(prepare(large, withCache()), nullptr);
  ClientQuotas quotas;
  quotas.memoryBytes = 1 << 17; // the model cache fits, its 256 KiB of constants do not
  EXPECT_EQ(connect(quotas)->prepareModelFromCache({}, files_).code(), ErrorStatus::ResourceExhaustedPersistent);
}

} // namespace
} // namespace avocet::hal
