//===- ArtefactDirTest.cpp - The two artefacts together ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ArtefactDir.h"
#include "ModelFile.h"
#include "SmallModel.h"
#include "avocet/base/OutputFile.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace avocet;
using namespace avocet::cache;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

namespace {

namespace fs = std::filesystem;

/// A separate directory for each test, removed afterwards.
class ArtefactDirTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "avocet-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string path(const char *name) const { return (root_ / name).string(); }

  static std::vector<std::string> namesIn(const std::string &directory) {
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory))
      names.push_back(entry.path().filename().string());
    return names;
  }

  fs::path root_;
  std::vector<uint8_t> model_ = *writeModelCache(smallModel());
  std::vector<uint8_t> data_ = std::vector<uint8_t>(56, 42);
};

TEST_F(ArtefactDirTest, ReadsBackBothWrittenFiles) {
  ASSERT_TRUE(writeArtefacts(path("out/model"), model_, data_));
  EXPECT_THAT(namesIn(path("out/model")), UnorderedElementsAre("model.avom", "data.avod"));
  EXPECT_TRUE(isArtefactDir(path("out/model")));
  Result<Artefacts> artefacts = readArtefacts(path("out/model"));
  ASSERT_TRUE(artefacts) << artefacts.status().toString();
  EXPECT_EQ(artefacts->model->dataIdentity(), checksumOf({data_}));
  EXPECT_TRUE(std::ranges::equal(artefacts->model->bytes().subspan(kModelHeaderBytes),
                                 std::span(model_).subspan(kModelHeaderBytes)));
  EXPECT_TRUE(std::ranges::equal(artefacts->data->bytes(), data_));
  EXPECT_TRUE(artefacts->data->file().isValid());
}

TEST_F(ArtefactDirTest, ReplacesOlderArtefacts) {
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  Result<Artefacts> old = readArtefacts(path("out"));
  data_.assign(56, 7);
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  Result<Artefacts> now = readArtefacts(path("out"));
  ASSERT_TRUE(old && now);
  EXPECT_EQ(old->data->bytes()[0], 42); // readers of the older files keep them
  EXPECT_EQ(now->data->bytes()[0], 7);
  EXPECT_EQ(namesIn(path("out")).size(), 2u);
}

TEST_F(ArtefactDirTest, ReadsModelWithoutConstants) {
  ModelDescription model = smallModel();
  model.regions[2].bytes = model.dataBytes = 0;
  model.streams[1].words = firmware::encodeStream(std::vector<firmware::Command>{
      {0, firmware::SignalCommand{0}}, {0, firmware::WaitCommand{1, 1}}, {0, firmware::EndCommand{}}});
  ASSERT_TRUE(writeArtefacts(path("out"), *writeModelCache(model), {}));
  Result<Artefacts> artefacts = readArtefacts(path("out"));
  ASSERT_TRUE(artefacts) << artefacts.status().toString();
  EXPECT_TRUE(artefacts->data->bytes().empty());
}

TEST_F(ArtefactDirTest, FailedWriteLeavesNoFiles) {
  fs::create_directories(path("out/data.avod/x")); // cannot be replaced by a file
  Status status = writeArtefacts(path("out"), model_, data_);
  EXPECT_FALSE(status);
  EXPECT_THAT(status.message(), HasSubstr("data.avod"));
  EXPECT_THAT(namesIn(path("out")), ElementsAre("data.avod"));
}

TEST_F(ArtefactDirTest, FileInPlaceOfDirectoryIsKept) {
  ASSERT_TRUE(writeFile(path("out"), std::string_view("precious")));
  Status status = writeArtefacts(path("out"), model_, data_);
  EXPECT_FALSE(status);
  EXPECT_THAT(status.message(), HasSubstr(path("out")));
  EXPECT_EQ(readFile(path("out"))->size(), 8u);
}

TEST_F(ArtefactDirTest, ErrorNamesMissingFile) {
  EXPECT_FALSE(isArtefactDir(path("none")));
  Status noModel = readArtefacts(path("none")).status();
  EXPECT_EQ(noModel.code(), StatusCode::NotFound);
  EXPECT_THAT(noModel.message(), HasSubstr("none/model.avom"));
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  fs::remove(path("out/data.avod"));
  EXPECT_EQ(readArtefacts(path("out")).status().code(), StatusCode::NotFound);
}

/// The file has a huge length but no contents.
TEST_F(ArtefactDirTest, RefusesHugeModelBeforeReading) {
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  fs::resize_file(path("out/model.avom"), kMaxModelBytes + 1);
  Status status = readArtefacts(path("out")).status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_THAT(status.message(), HasSubstr("at most 1073741824"));
}

TEST_F(ArtefactDirTest, RefusesDataOfWrongSize) {
  ASSERT_TRUE(writeArtefacts(path("out"), model_, std::vector<uint8_t>(55)));
  Status status = readArtefacts(path("out")).status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_THAT(status.message(), HasSubstr("has 55 bytes of constants, its model cache requires 56"));
}

TEST_F(ArtefactDirTest, MixedPairIsRefusedWhateverCheck) {
  ASSERT_TRUE(writeArtefacts(path("one"), model_, data_));
  ASSERT_TRUE(writeArtefacts(path("two"), model_, std::vector<uint8_t>(56, 7)));
  fs::copy_file(path("one/data.avod"), path("two/data.avod"), fs::copy_options::overwrite_existing);
  for (DataCheck check : {DataCheck::Hash, DataCheck::Identity}) {
    Status status = readArtefacts(path("two"), check).status();
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_THAT(status.message(), HasSubstr("two/data.avod: holds the constants of another compilation"));
  }
}

TEST_F(ArtefactDirTest, ModelWithoutIdentityIsRefused) {
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  ASSERT_TRUE(writeFile(path("out/model.avom"), model_));
  EXPECT_THAT(readArtefacts(path("out")).status().message(), HasSubstr("does not say which data cache"));
}

TEST_F(ArtefactDirTest, BitFlipInEachByteIsRefused) {
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  std::vector<uint8_t> bytes = *readFile(path("out/data.avod"));
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    const size_t bit = byte * 8 + byte % 8; // avocetPairStress flips others
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    ASSERT_TRUE(writeFile(path("out/data.avod"), bytes));
    EXPECT_EQ(readArtefacts(path("out")).status().code(), StatusCode::DataLoss) << bit;
    // Without the hash only the end is checked.
    EXPECT_EQ(readArtefacts(path("out"), DataCheck::Identity).isOk(), bit < data_.size() * 8) << bit;
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
}

TEST_F(ArtefactDirTest, EveryTruncationOfDataIsRefused) {
  ASSERT_TRUE(writeArtefacts(path("out"), model_, data_));
  const std::vector<uint8_t> bytes = *readFile(path("out/data.avod"));
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_TRUE(writeFile(path("out/data.avod"), std::span(bytes).first(size)));
    EXPECT_EQ(readArtefacts(path("out"), DataCheck::Identity).status().code(), StatusCode::DataLoss) << size;
  }
}

/// What a writer leaves that was killed after the commit point: the new model cache, the old data cache, and the new
/// one under its temporary name.
TEST_F(ArtefactDirTest, ReaderTakesTemporaryDataAfterCommitPoint) {
  const std::vector<uint8_t> older(56, 7);
  ASSERT_TRUE(writeArtefacts(path("new"), model_, data_));
  ASSERT_TRUE(writeArtefacts(path("out"), model_, older));
  const std::string temporary =
      path("out/") + fmt::format(".avocet-data-{:02x}-0123456789abcdef.tmp", fmt::join(checksumOf({data_}), ""));
  fs::rename(path("new/data.avod"), temporary);
  EXPECT_EQ(readArtefacts(path("out"))->data->bytes()[0], 7);
  fs::rename(path("new/model.avom"), path("out/model.avom"));
  Result<Artefacts> artefacts = readArtefacts(path("out"));
  ASSERT_TRUE(artefacts) << artefacts.status().toString();
  EXPECT_EQ(artefacts->data->bytes()[0], 42);
  ASSERT_TRUE(writeFile(path("out/other"), std::string_view("text"))); // removes no file with a tag
  EXPECT_TRUE(fs::exists(temporary));
  ASSERT_TRUE(writeArtefacts(path("out"), model_, older));
  EXPECT_THAT(namesIn(path("out")), UnorderedElementsAre("model.avom", "data.avod", "other"));
}

TEST_F(ArtefactDirTest, TemporaryFilesOfLivingWritersStay) {
  OutputFile living = OutputFile::create(path("living"), {.tag = "data-1"}).value();
  ASSERT_TRUE(writeArtefacts(path("."), model_, data_));
  EXPECT_EQ(openTemporaries(path("living"), "data-1")->size(), 1u);
}

TEST_F(ArtefactDirTest, RefusesNonRegularFiles) {
  fs::create_directories(path("out/model.avom"));
  EXPECT_FALSE(readArtefacts(path("out")));
  fs::remove(path("out/model.avom"));
  ASSERT_EQ(::mkfifo(path("out/model.avom").c_str(), 0600), 0);
  EXPECT_FALSE(readArtefacts(path("out")));
}

TEST(DataCache, MemoryHasDescriptor) {
  std::vector<uint8_t> bytes = {1, 2, 3};
  auto data = DataCache::fromBytes(bytes);
  ASSERT_TRUE(data);
  EXPECT_THAT((*data)->bytes(), ElementsAre(1, 2, 3));
  EXPECT_EQ(*fileSize((*data)->file(), "memory"), 3u);
}

} // namespace
