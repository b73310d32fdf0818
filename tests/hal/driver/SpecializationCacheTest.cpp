//===- SpecializationCacheTest.cpp - Programs of executions in the caches -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "model/CompiledModel.h"

#include <numeric>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

using Floats = std::vector<float>;

/// So many that the compiler stores them in the data cache.
constexpr uint32_t kColumns = 256;

/// first, first + 1, ..
Floats rowFrom(float first) {
  Floats row(kColumns);
  std::iota(row.begin(), row.end(), first);
  return row;
}
const Floats kResult = rowFrom(10);

/// input + constants, for any number of rows.
Model rowsModel(const Floats &constants = kResult) {
  Model model = addConstantModel(constants);
  model.main.operands[0].dimensions = {0, kColumns};
  model.main.operands[3].dimensions = {0, kColumns};
  return model;
}

/// The last row of the model's result for rows of zeros; empty if the execution fails.
Floats lastRow(IPreparedModel &model, uint32_t rows) {
  const uint64_t bytes = uint64_t(rows) * kColumns * sizeof(float);
  TestPool inputs(bytes), outputs(bytes);
  Request request = requestOf({bytes}, {bytes}, inputs, outputs);
  request.inputs[0].dimensions = {rows, kColumns};
  if (!model.execute(request, {}).isOk())
    return {};
  auto row = outputs.as<float>().last(kColumns);
  return {row.begin(), row.end()};
}

class SpecializationCacheTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    reopen();
  }
  void reopen(bool withCompiler = true) {
    DriverOptions options = cachingOptions();
    options.maxSpecializations = most_;
    options.blobCacheBytes = blobBytes_;
    options.target = target_;
    restart(options, withCompiler);
  }
  /// The driver and the compiler of another process, which has no compiler.
  std::shared_ptr<IPreparedModel> loadWithoutCompiler() {
    reopen(false);
    return loadModel(files_);
  }
  void prepareAndRun(const std::vector<uint32_t> &counts, const PrepareOptions &options) {
    auto model = prepare(rowsModel(), options);
    ASSERT_NE(model, nullptr);
    for (uint32_t rows : counts)
      ASSERT_EQ(lastRow(*model, rows), kResult) << rows;
    EXPECT_EQ(driver_->counters().specializations, counts.size());
  }

  size_t most_ = 16;
  uint64_t blobBytes_ = 0;
  std::string target_ = "e256";
};

TEST_F(SpecializationCacheTest, FilesSaveCompilationsOfNextProcess) {
  prepareAndRun({2, 5}, withCache());
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 5), kResult);
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_TRUE(lastRow(*model, 3).empty()) << "no program for these rows, and no compiler";
  EXPECT_EQ(driver_->counters().specializations, 1u);
  EXPECT_EQ(driver_->counters().specializationsCached, 2u);
}

TEST_F(SpecializationCacheTest, LoadedModelAddsProgramsToFiles) {
  prepareAndRun({2}, withCache());
  reopen();
  auto model = loadModel(files_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 7), kResult);
  model.reset();
  model = loadWithoutCompiler();
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_EQ(lastRow(*model, 7), kResult);
  EXPECT_EQ(driver_->counters().specializations, 0u);
}

TEST_F(SpecializationCacheTest, DriversCacheSavesCompilations) {
  blobBytes_ = 1 << 24;
  reopen();
  prepareAndRun({2, 5}, {});
  reopen(false);
  auto model = prepare(rowsModel());
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_EQ(lastRow(*model, 5), kResult);
  EXPECT_EQ(driver_->counters().specializations, 0u);
  EXPECT_EQ(driver_->counters().specializationsCached, 2u);
}

TEST_F(SpecializationCacheTest, DriversCacheTellsModelsApart) {
  blobBytes_ = 1 << 24;
  reopen();
  prepareAndRun({2}, {});
  auto model = prepare(rowsModel(rowFrom(1)));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 2), rowFrom(1));
}

TEST_F(SpecializationCacheTest, FilesKeepLatestPrograms) {
  most_ = 2;
  reopen();
  prepareAndRun({2, 3, 4}, withCache());
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 3), kResult);
  EXPECT_EQ(lastRow(*model, 4), kResult);
  EXPECT_TRUE(lastRow(*model, 2).empty()) << "evicted";
}

TEST_F(SpecializationCacheTest, FilesStayWithinClientsLimit) {
  prepareAndRun({3}, withCache());
  close();
  ClientQuotas quotas;
  quotas.cacheBytes = contents("model").size() + contents("data").size() + 100; // two programs are too much
  reopen();
  device_ = connect(quotas);
  prepareAndRun({2, 3}, withCache());
  close();
  EXPECT_LE(contents("model").size() + contents("data").size(), quotas.cacheBytes);
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 3), kResult) << "the latest";
  EXPECT_TRUE(lastRow(*model, 2).empty());
}

TEST_F(SpecializationCacheTest, DamagedConstantsAreRefused) {
  prepareAndRun({2}, withCache());
  close();
  std::vector<uint8_t> data = contents("data");
  ASSERT_FALSE(data.empty());
  data.back() ^= 1;
  rewrite("data", data);
  reopen();
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(SpecializationCacheTest, OtherTargetUsesNothing) {
  blobBytes_ = 1 << 24;
  reopen();
  prepareAndRun({2}, withCache());
  target_ = "m512";
  reopen();
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  prepareAndRun({2}, {});
  EXPECT_EQ(driver_->counters().specializationsCached, 0u);
}

TEST_F(SpecializationCacheTest, DoesNotOverwriteOtherModelsFiles) {
  auto first = prepare(rowsModel(), withCache());
  ASSERT_NE(first, nullptr);
  PrepareOptions other = withCache();
  other.cache.token[0] = 99;
  ASSERT_NE(prepare(addConstantModel({1, 2, 3}), other), nullptr);
  EXPECT_EQ(lastRow(*first, 2), kResult);
  first.reset();
  reopen(false);
  auto second = loadModel(other.cache);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(run(*second), (Floats{1, 2, 3}));
}

/// Programs with equal constants share them in the file.
TEST_F(SpecializationCacheTest, FilesHaveEqualConstantsOnce) {
  prepareAndRun({2}, withCache());
  close();
  const size_t one = contents("data").size();
  reopen();
  prepareAndRun({2, 3}, withCache());
  close();
  EXPECT_EQ(contents("data").size(), one);
}

/// A second driver, as in another process, with the same folder and files.
class SharedFilesTest : public SpecializationCacheTest {
protected:
  void openOther(uint32_t optimize = DriverOptions().optimize) {
    DriverOptions options = cachingOptions();
    options.optimize = optimize;
    Result<std::shared_ptr<IDevice>> opened = openDevice(options);
    ASSERT_TRUE(opened.isOk()) << opened.error().message;
    other_ = *opened;
  }
  std::shared_ptr<IPreparedModel> loadInOther() {
    auto model = other_->prepareModelFromCache({}, others_);
    EXPECT_TRUE(model.isOk()) << model.error().message;
    return model ? *model : nullptr;
  }
  std::shared_ptr<IPreparedModel> prepareInOther(const Model &model) {
    PrepareOptions options;
    options.cache = others_;
    auto prepared = other_->prepareModel(model, options);
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }
  static void runAll(IPreparedModel &model, const std::vector<uint32_t> &counts) {
    for (uint32_t rows : counts)
      EXPECT_EQ(lastRow(model, rows), kResult) << rows;
  }

  const CacheFiles others_ = openFiles("model", "data", O_RDWR | O_CREAT);
  std::shared_ptr<IDevice> other_;
};

TEST_F(SharedFilesTest, FilesHaveProgramsOfBothProcesses) {
  openOther();
  auto first = prepare(rowsModel(), withCache());
  ASSERT_NE(first, nullptr);
  auto second = loadInOther();
  ASSERT_NE(second, nullptr);
  runAll(*first, {2, 3});
  first.reset();
  close();
  runAll(*second, {5, 6});
  second.reset();
  other_.reset();
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  runAll(*model, {2, 3, 5, 6});
}

TEST_F(SharedFilesTest, OwnProgramsAreKeptAboveLimit) {
  most_ = 3;
  reopen();
  openOther();
  auto first = prepare(rowsModel(), withCache());
  ASSERT_NE(first, nullptr);
  auto second = loadInOther();
  ASSERT_NE(second, nullptr);
  runAll(*second, {5, 6});
  second.reset();
  other_.reset();
  runAll(*first, {2, 3});
  first.reset();
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  runAll(*model, {2, 3, 6});
  EXPECT_TRUE(lastRow(*model, 5).empty()) << "the least recently used one of the other process";
}

TEST_F(SharedFilesTest, BetterProgramOfOtherProcessStays) {
  openOther(1);
  DriverOptions options = cachingOptions();
  options.optimize = 0;
  restart(options);
  auto first = prepare(rowsModel(), withCache());
  ASSERT_NE(first, nullptr);
  auto second = loadInOther();
  ASSERT_NE(second, nullptr);
  runAll(*second, {2});
  second.reset();
  other_.reset();
  runAll(*first, {2, 3});
  first.reset();
  close();
  const CompiledModel saved = *deserialize(contents("model"));
  ASSERT_EQ(saved.specializations.size(), 2u);
  EXPECT_EQ(saved.specializations[0].optimize + saved.specializations[1].optimize, 1u);
}

/// The client uses one token for two models. The files stay with the one that was saved last.
TEST_F(SharedFilesTest, ProgramsOfAnotherModelAreNotWritten) {
  openOther();
  auto first = prepare(rowsModel(), withCache());
  ASSERT_NE(first, nullptr);
  auto second = prepareInOther(rowsModel(rowFrom(1)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(lastRow(*second, 3), rowFrom(1));
  second.reset();
  other_.reset();
  runAll(*first, {2});
  first.reset();
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 3), rowFrom(1));
  EXPECT_TRUE(lastRow(*model, 2).empty()) << "its program is that of other constants";
}

TEST_F(SharedFilesTest, ReadersGetWholePairsOfConcurrentWriters) {
  openOther();
  auto first = prepare(rowsModel(), withCache());
  ASSERT_NE(first, nullptr);
  auto second = loadInOther();
  ASSERT_NE(second, nullptr);
  const std::vector<uint32_t> odd = {3, 5, 7, 9, 11, 13}, even = {2, 4, 6, 8, 10, 12};
  const CacheFiles readers = openFiles("model", "data", O_RDWR);
  std::atomic<int> running{2};
  {
    auto use = [&](std::shared_ptr<IPreparedModel> &model, const std::vector<uint32_t> &counts) {
      return std::jthread([&] {
        runAll(*model, counts);
        --running;
      });
    };
    std::jthread threads[] = {use(first, odd), use(second, even)};
    do {
      EXPECT_TRUE(isLoadedOrLocked(device_->prepareModelFromCache({}, readers)));
      std::this_thread::sleep_for(std::chrono::milliseconds(1)); // writers need the lock too
    } while (running > 0);
  }
  first.reset();
  second.reset();
  close();
  other_.reset();
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  runAll(*model, odd);
  runAll(*model, even);
}

TEST_F(SpecializationCacheTest, RunningModelKeepsProgramsOfLostFiles) {
  prepareAndRun({2}, withCache());
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  rewrite("model", {});
  rewrite("data", {});
  EXPECT_EQ(lastRow(*model, 2), kResult);
}

} // namespace
} // namespace avocet::hal
