//===- SpecialisationCacheTest.cpp - Programs of executions in the caches -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"

#include <numeric>

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

class SpecialisationCacheTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    reopen();
  }
  void reopen(bool withCompiler = true) {
    DriverOptions options = cachingOptions();
    options.maxSpecialisations = most_;
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
    EXPECT_EQ(driver_->counters().specialisations, counts.size());
  }

  size_t most_ = 16;
  uint64_t blobBytes_ = 0;
  std::string target_ = "e256";
};

TEST_F(SpecialisationCacheTest, FilesSaveCompilationsOfNextProcess) {
  prepareAndRun({2, 5}, withCache());
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 5), kResult);
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_TRUE(lastRow(*model, 3).empty()) << "no program for these rows, and no compiler";
  EXPECT_EQ(driver_->counters().specialisations, 1u);
  EXPECT_EQ(driver_->counters().specialisationsCached, 2u);
}

TEST_F(SpecialisationCacheTest, LoadedModelAddsProgramsToFiles) {
  prepareAndRun({2}, withCache());
  reopen();
  auto model = loadModel(files_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 7), kResult);
  model.reset();
  model = loadWithoutCompiler();
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_EQ(lastRow(*model, 7), kResult);
  EXPECT_EQ(driver_->counters().specialisations, 0u);
}

TEST_F(SpecialisationCacheTest, DriversCacheSavesCompilations) {
  blobBytes_ = 1 << 24;
  reopen();
  prepareAndRun({2, 5}, {});
  reopen(false);
  auto model = prepare(rowsModel());
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 2), kResult);
  EXPECT_EQ(lastRow(*model, 5), kResult);
  EXPECT_EQ(driver_->counters().specialisations, 0u);
  EXPECT_EQ(driver_->counters().specialisationsCached, 2u);
}

TEST_F(SpecialisationCacheTest, DriversCacheTellsModelsApart) {
  blobBytes_ = 1 << 24;
  reopen();
  prepareAndRun({2}, {});
  auto model = prepare(rowsModel(rowFrom(1)));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 2), rowFrom(1));
}

TEST_F(SpecialisationCacheTest, FilesKeepLatestPrograms) {
  most_ = 2;
  reopen();
  prepareAndRun({2, 3, 4}, withCache());
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(lastRow(*model, 3), kResult);
  EXPECT_EQ(lastRow(*model, 4), kResult);
  EXPECT_TRUE(lastRow(*model, 2).empty()) << "evicted";
}

TEST_F(SpecialisationCacheTest, FilesStayWithinClientsLimit) {
  prepareAndRun({2}, withCache());
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

TEST_F(SpecialisationCacheTest, DamagedConstantsAreRefused) {
  prepareAndRun({2}, withCache());
  close();
  std::vector<uint8_t> data = contents("data");
  ASSERT_FALSE(data.empty());
  data.back() ^= 1;
  rewrite("data", data);
  reopen();
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
}

TEST_F(SpecialisationCacheTest, OtherTargetUsesNothing) {
  blobBytes_ = 1 << 24;
  reopen();
  prepareAndRun({2}, withCache());
  target_ = "m512";
  reopen();
  EXPECT_EQ(load(), ErrorStatus::GeneralFailure);
  prepareAndRun({2}, {});
  EXPECT_EQ(driver_->counters().specialisationsCached, 0u);
}

TEST_F(SpecialisationCacheTest, DoesNotOverwriteOtherModelsFiles) {
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
TEST_F(SpecialisationCacheTest, FilesHaveEqualConstantsOnce) {
  prepareAndRun({2}, withCache());
  close();
  const size_t one = contents("data").size();
  reopen();
  prepareAndRun({2, 3}, withCache());
  close();
  EXPECT_EQ(contents("data").size(), one);
}

TEST_F(SpecialisationCacheTest, RunningModelKeepsProgramsOfLostFiles) {
  prepareAndRun({2}, withCache());
  auto model = loadWithoutCompiler();
  ASSERT_NE(model, nullptr);
  rewrite("model", {});
  rewrite("data", {});
  EXPECT_EQ(lastRow(*model, 2), kResult);
}

} // namespace
} // namespace avocet::hal
