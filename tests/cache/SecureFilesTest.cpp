//===- SecureFilesTest.cpp - Attacks on cache files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileHook.h"
#include "StoreFixture.h"

#include "avocet/cache/DataCache.h"
#include "avocet/cache/SecureFiles.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <thread>

namespace avocet::cache {
namespace {

using avocet::test::FileHook;

class SecureFilesTest : public StoreFixture {
protected:
  void SetUp() override {
    StoreFixture::SetUp();
    std::filesystem::create_directories(folder_);
    store_ = openStore();
    model_ = openFile("model");
    data_ = openFile("data");
  }

  std::shared_ptr<TokenStore> openStore() const {
    Result<std::shared_ptr<TokenStore>> store = TokenStore::open(folder_ + "/store", "driver 1");
    EXPECT_TRUE(store.isOk()) << store.status().toString();
    return store ? *store : nullptr;
  }
  FileDescriptor openFile(const std::string &name, int flags = O_RDWR | O_CREAT) const {
    return FileDescriptor(::open((folder_ + "/" + name).c_str(), flags | O_CLOEXEC, 0600));
  }
  CacheFilePair files() const { return {model_, data_}; }

  Status save(uint32_t seed, size_t modelBytes = 2000) {
    return saveCompilation(*store_, tokenOf(1), randomBytes(modelBytes, seed), randomBytes(500, seed + 1), files());
  }
  StatusCode load(uint32_t token = 1) const {
    return loadCompilation(*store_, tokenOf(token), files()).status().code();
  }
  std::vector<uint8_t> contents(const FileDescriptor &file) const {
    std::vector<uint8_t> bytes(*fileSize(file, "file"));
    EXPECT_EQ(::pread(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return bytes;
  }
  static void overwrite(const FileDescriptor &file, std::span<const uint8_t> bytes) {
    ASSERT_EQ(::ftruncate(file.get(), 0), 0);
    ASSERT_EQ(::pwrite(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

  std::shared_ptr<TokenStore> store_;
  FileDescriptor model_, data_;
};

TEST_F(SecureFilesTest, LoadsSavedBytes) {
  ASSERT_TRUE(save(1).isOk());
  Result<LoadedCompilation> loaded = loadCompilation(*openStore(), tokenOf(1), files());
  ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
  EXPECT_EQ(loaded->model, randomBytes(2000, 1));
  EXPECT_EQ(contents(data_), randomBytes(500, 2));
}

TEST_F(SecureFilesTest, AcceptsFilesOfAnySizeAndOffset) {
  overwrite(model_, randomBytes(100000, 7));
  overwrite(data_, randomBytes(100000, 8));
  ::lseek(model_.get(), 12345, SEEK_SET);
  ::lseek(data_.get(), 54321, SEEK_SET);
  ASSERT_TRUE(save(1).isOk());
  EXPECT_EQ(contents(model_), randomBytes(2000, 1));
  EXPECT_EQ(contents(data_), randomBytes(500, 2));
  ::lseek(model_.get(), 999, SEEK_SET);
  EXPECT_EQ(load(), StatusCode::Ok);
}

TEST_F(SecureFilesTest, AcceptsFilesOpenedForAppending) {
  model_ = openFile("model", O_RDWR | O_APPEND);
  data_ = openFile("data", O_RDWR | O_APPEND);
  ASSERT_TRUE(save(1).isOk());
  ASSERT_TRUE(save(3).isOk());
  EXPECT_EQ(loadCompilation(*store_, tokenOf(1), files())->model, randomBytes(2000, 3));
}

TEST_F(SecureFilesTest, RefusesEverySingleFlippedBit) {
  ASSERT_TRUE(save(1, 64).isOk());
  std::vector<uint8_t> bytes = contents(model_);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::vector<uint8_t> flipped = bytes;
    flipped[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    overwrite(model_, flipped);
    ASSERT_EQ(load(), StatusCode::DataLoss) << "bit " << bit;
  }
}

TEST_F(SecureFilesTest, RefusesEveryOtherLength) {
  ASSERT_TRUE(save(1, 64).isOk());
  std::vector<uint8_t> bytes = contents(model_);
  for (size_t length = 0; length < bytes.size(); ++length) {
    overwrite(model_, std::span(bytes).first(length));
    ASSERT_EQ(load(), StatusCode::DataLoss) << length << " bytes";
  }
  bytes.push_back(0);
  overwrite(model_, bytes);
  EXPECT_EQ(load(), StatusCode::DataLoss);
}

TEST_F(SecureFilesTest, RefusesSwappedFilesAndTokens) {
  ASSERT_TRUE(save(1).isOk());
  EXPECT_EQ(loadCompilation(*store_, tokenOf(1), {data_, model_}).status().code(), StatusCode::DataLoss);
  EXPECT_EQ(load(2), StatusCode::NotFound);
  FileDescriptor otherModel = openFile("otherModel"), otherData = openFile("otherData");
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(2), randomBytes(2000, 9), {}, {otherModel, otherData}).isOk());
  EXPECT_EQ(load(2), StatusCode::DataLoss);
  EXPECT_EQ(loadCompilation(*store_, tokenOf(1), {otherModel, otherData}).status().code(), StatusCode::DataLoss);
}

TEST_F(SecureFilesTest, RefusesUnsuitableDescriptors) {
  ASSERT_TRUE(save(1).isOk());
  FileDescriptor closed, folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FileDescriptor readOnly = openFile("model", O_RDONLY), writeOnly = openFile("model", O_WRONLY);
  FileDescriptor pathOnly = openFile("model", O_PATH);
  int pipeEnds[2];
  ASSERT_EQ(::pipe2(pipeEnds, O_CLOEXEC), 0);
  FileDescriptor pipeOut(pipeEnds[0]), pipeIn(pipeEnds[1]);
  FileDescriptor stale(1 << 20);
  for (const FileDescriptor *bad : {&closed, &folder, &readOnly, &writeOnly, &pathOnly, &pipeOut, &pipeIn, &stale}) {
    EXPECT_EQ(checkCacheFiles({*bad, data_}).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(loadCompilation(*store_, tokenOf(1), {*bad, data_}).status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(saveCompilation(*store_, tokenOf(1), {}, {}, {model_, *bad}).code(), StatusCode::InvalidArgument);
  }
  EXPECT_EQ(checkCacheFiles({model_, model_}).code(), StatusCode::InvalidArgument);
  (void)stale.release();
  EXPECT_EQ(load(), StatusCode::Ok);
}

TEST_F(SecureFilesTest, DoesNotRewriteEqualFiles) {
  ASSERT_TRUE(save(1).isOk());
  Result<std::shared_ptr<const DataCache>> mapped = DataCache::fromFile(data_, 500);
  ASSERT_TRUE(mapped.isOk());
  struct stat before, after;
  ASSERT_EQ(::fstat(data_.get(), &before), 0);
  ASSERT_TRUE(save(1).isOk());
  ASSERT_EQ(::fstat(data_.get(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(std::vector<uint8_t>((*mapped)->bytes().begin(), (*mapped)->bytes().end()), randomBytes(500, 2));
}

/// The hashed bytes must be the used ones: a second read of the file would give others.
TEST_F(SecureFilesTest, LoadsCheckedBytesWhenFileChangesAfterwards) {
  const std::vector<uint8_t> good = randomBytes(20000, 1), bad = randomBytes(20000, 2);
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(1), good, {}, files()).isOk());
  FileHook hook(model_, FileHook::Call::Read, [&] { overwrite(model_, bad); });
  Result<LoadedCompilation> loaded = loadCompilation(*store_, tokenOf(1), files());
  ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
  EXPECT_EQ(loaded->model, good);
  EXPECT_GE(hook.runs(), 1u);
  EXPECT_EQ(load(), StatusCode::DataLoss);
}

TEST_F(SecureFilesTest, RefusesFileRepairedAfterRead) {
  const std::vector<uint8_t> good = randomBytes(20000, 1), bad = randomBytes(20000, 2);
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(1), good, {}, files()).isOk());
  overwrite(model_, bad);
  FileHook hook(model_, FileHook::Call::Read, [&] { overwrite(model_, good); });
  EXPECT_EQ(load(), StatusCode::DataLoss);
  EXPECT_EQ(load(), StatusCode::Ok) << "it was right from the start this time";
}

/// The hash must be that of the saved bytes, even if another writer changes the file before the save ends.
TEST_F(SecureFilesTest, StoresHashOfBytesNotOfFile) {
  const std::vector<uint8_t> good = randomBytes(20000, 1), bad = randomBytes(20000, 2);
  {
    FileHook hook(model_, FileHook::Call::Write, [&] { overwrite(model_, bad); });
    (void)saveCompilation(*store_, tokenOf(1), good, {}, files());
    EXPECT_GE(hook.runs(), 1u);
  }
  EXPECT_EQ(contents(model_), bad);
  EXPECT_EQ(load(), StatusCode::DataLoss);
  overwrite(model_, good);
  EXPECT_EQ(load(), StatusCode::Ok);
}

TEST_F(SecureFilesTest, ConcurrentWritersLeaveNoMixedPair) {
  // Model and data of one compilation have one seed; a mixed pair would have two.
  auto writer = [&](uint32_t offset) {
    std::shared_ptr<TokenStore> store = openStore();
    FileDescriptor model = openFile("model"), data = openFile("data");
    for (uint32_t round = 0; round < 30; ++round)
      (void)saveCompilation(*store, tokenOf(1), randomBytes(5000, offset + round), randomBytes(5000, offset + round),
                            {model, data});
  };
  pid_t first = inChild([&] { writer(1000); }), second = inChild([&] { writer(2000); });
  int loads = 0;
  for (int round = 0; round < 200; ++round)
    if (Result<LoadedCompilation> loaded = loadCompilation(*store_, tokenOf(1), files())) {
      ++loads;
      EXPECT_EQ(loaded->model.size(), 5000u);
    }
  EXPECT_TRUE(endedWell(first));
  EXPECT_TRUE(endedWell(second));
  Result<LoadedCompilation> last = loadCompilation(*store_, tokenOf(1), files());
  ASSERT_TRUE(last.isOk()) << last.status().toString();
  EXPECT_EQ(last->model, contents(data_));
  RecordProperty("loads", loads);
}

TEST_F(SecureFilesTest, ReplacesCompilationOfSameToken) {
  ASSERT_TRUE(save(1).isOk());
  const std::vector<uint8_t> model = randomBytes(3000, 2), data = randomBytes(700, 3);
  std::vector<uint8_t> before;
  const Replace replace = [&](std::span<const uint8_t> saved) -> Result<Replacement> {
    before.assign(saved.begin(), saved.end());
    return Replacement{model, data, nullptr};
  };
  const std::vector<uint8_t> saved = contents(model_);
  ASSERT_TRUE(replaceCompilation(*store_, tokenOf(1), replace, files()).isOk());
  EXPECT_EQ(before, saved);
  EXPECT_EQ(loadCompilation(*store_, tokenOf(1), files())->model, model);
  EXPECT_EQ(contents(data_), data);
}

TEST_F(SecureFilesTest, DoesNotReplaceCompilationOfOtherToken) {
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(2), randomBytes(2000, 9), {}, files()).isOk());
  const Replace never = [](std::span<const uint8_t>) -> Result<Replacement> {
    ADD_FAILURE();
    return Replacement();
  };
  EXPECT_EQ(replaceCompilation(*store_, tokenOf(1), never, files()).code(), StatusCode::FailedPrecondition);
  ASSERT_TRUE(save(1).isOk());
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(2), randomBytes(2000, 9), {}, files()).isOk());
  EXPECT_EQ(replaceCompilation(*store_, tokenOf(1), never, files()).code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(load(2), StatusCode::Ok);
}

TEST_F(SecureFilesTest, FailedReplacementChangesNothing) {
  ASSERT_TRUE(save(1).isOk());
  const std::vector<uint8_t> model = contents(model_), data = contents(data_);
  const Replace fails = [](std::span<const uint8_t>) -> Result<Replacement> { return dataLoss("no bytes"); };
  EXPECT_EQ(replaceCompilation(*store_, tokenOf(1), fails, files()).code(), StatusCode::DataLoss);
  EXPECT_EQ(contents(model_), model);
  EXPECT_EQ(contents(data_), data);
  EXPECT_EQ(load(), StatusCode::Ok);
}

/// Two processes that add a byte in turn: none of their bytes is lost.
TEST_F(SecureFilesTest, ConcurrentReplacementsLoseNoChange) {
  constexpr int kRounds = 40;
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(1), randomBytes(10, 1), {}, files()).isOk());
  auto adder = [&] {
    std::shared_ptr<TokenStore> store = openStore();
    FileDescriptor model = openFile("model"), data = openFile("data");
    const Replace add = [](std::span<const uint8_t> saved) -> Result<Replacement> {
      auto longer = std::make_shared<std::vector<uint8_t>>(saved.begin(), saved.end());
      longer->push_back(7);
      return Replacement{*longer, {}, longer};
    };
    for (int round = 0; round < kRounds; ++round)
      if (!replaceCompilation(*store, tokenOf(1), add, {model, data}).isOk())
        ::_exit(1);
  };
  pid_t first = inChild(adder), second = inChild(adder);
  EXPECT_TRUE(endedWell(first));
  EXPECT_TRUE(endedWell(second));
  EXPECT_EQ(contents(model_).size(), 10u + 2 * kRounds);
}

/// Model and data have one seed. No load is refused: a reader waits for a writer, and gets the old or the new pair.
TEST_F(SecureFilesTest, ReaderGetsWholePairsWhileReplaced) {
  auto pair = [](uint32_t round) { return randomBytes(40000, round); };
  ASSERT_TRUE(saveCompilation(*store_, tokenOf(1), pair(0), pair(0), files()).isOk());
  pid_t writer = inChild([&] {
    std::shared_ptr<TokenStore> store = openStore();
    FileDescriptor model = openFile("model"), data = openFile("data");
    for (uint32_t round = 1; round <= 60; ++round) {
      const std::vector<uint8_t> bytes = pair(round);
      const Replace replace = [&](std::span<const uint8_t>) -> Result<Replacement> {
        return Replacement{bytes, bytes, nullptr};
      };
      if (!replaceCompilation(*store, tokenOf(1), replace, {model, data}).isOk())
        ::_exit(1);
    }
  });
  size_t pairs = 0;
  std::vector<uint8_t> last;
  int status = 0;
  while (::waitpid(writer, &status, WNOHANG) == 0) {
    Result<LoadedCompilation> loaded = loadCompilation(*store_, tokenOf(1), files());
    ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
    EXPECT_EQ(contents(data_), loaded->model);
    pairs += loaded->model != last;
    last = std::move(loaded->model);
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_GT(pairs, 1u);
}

TEST_F(SecureFilesTest, FilesOfKilledWritersAreRefused) {
  std::mt19937 random(2);
  for (int round = 0; round < 30; ++round) {
    pid_t child = inChild([&] {
      std::shared_ptr<TokenStore> store = openStore();
      FileDescriptor model = openFile("model"), data = openFile("data");
      for (uint32_t seed = 0;; ++seed)
        (void)saveCompilation(*store, tokenOf(1), randomBytes(30000, seed), randomBytes(30000, seed), {model, data});
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    (void)endedWell(child);
    Result<LoadedCompilation> loaded = loadCompilation(*openStore(), tokenOf(1), files());
    if (loaded)
      EXPECT_EQ(loaded->model, contents(data_));
  }
}

TEST_F(SecureFilesTest, ForeignLockEndsInTimeout) {
  ASSERT_TRUE(save(1).isOk());
  FileDescriptor other = openFile("model");
  struct flock request = {};
  request.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(other.get(), F_OFD_SETLK, &request), 0);
  EXPECT_EQ(load(), StatusCode::ResourceExhausted);
}

} // namespace
} // namespace avocet::cache
