//===- FileTest.cpp - Tests of files and descriptors ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

class FileTest : public testing::Test {
protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "/avocet-file-" + std::to_string(::getpid());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  size_t numFiles() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  std::string directory_;
};

TEST_F(FileTest, ReadsBackWrittenFile) {
  std::string path = directory_ + "/a";
  ASSERT_TRUE(writeFile(path, std::string_view("hello")).isOk());
  ASSERT_TRUE(writeFile(path, std::string_view("world!")).isOk());
  Result<std::vector<uint8_t>> bytes = readFile(path);
  ASSERT_TRUE(bytes.isOk());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "world!");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(FileTest, FailedWriteLeavesNoFile) {
  std::filesystem::create_directory(directory_ + "/taken");
  Status status = writeFile(directory_ + "/taken", std::string_view("x"));
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("taken"), std::string::npos);
  EXPECT_EQ(numFiles(), 1u);
  EXPECT_EQ(writeFile(directory_ + "/no/such/dir", std::string_view("x")).code(), StatusCode::NotFound);
}

TEST_F(FileTest, OnlyRegularFilesAreRead) {
  EXPECT_EQ(readFile(directory_ + "/missing").status().code(), StatusCode::NotFound);
  EXPECT_EQ(readFile(directory_).status().code(), StatusCode::InvalidArgument);
  std::string pipe = directory_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(readFile(pipe).status().code(), StatusCode::InvalidArgument);
}

TEST_F(FileTest, MapsFiles) {
  std::string path = directory_ + "/m";
  ASSERT_TRUE(writeFile(path, std::string_view("abc")).isOk());
  Result<Mapping> mapping = Mapping::mapFile(path);
  ASSERT_TRUE(mapping.isOk());
  EXPECT_EQ(mapping->bytes().size(), 3u);
  EXPECT_EQ(mapping->bytes()[1], 'b');
  ASSERT_TRUE(writeFile(path, std::string_view("")).isOk());
  Result<Mapping> empty = Mapping::mapFile(path);
  ASSERT_TRUE(empty.isOk());
  EXPECT_TRUE(empty->bytes().empty());
}

TEST_F(FileTest, DescriptorsMoveAndCloseOnce) {
  FileDescriptor first = createMemoryFile("test", 10).value();
  int number = first.get();
  FileDescriptor second = std::move(first);
  EXPECT_FALSE(first.isValid());
  EXPECT_EQ(second.get(), number);
  FileDescriptor copy = second.duplicate().value();
  EXPECT_NE(copy.get(), number);
  EXPECT_EQ(fileSize(copy, "test").value(), 10u);
  EXPECT_FALSE(FileDescriptor().duplicate().isOk());
}

} // namespace
} // namespace avocet
