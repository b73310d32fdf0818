//===- FileBelowTest.cpp - Tests of files that a file names -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/FileBelow.h"

#include "OutputFolder.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace avocet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileBelowTest : public OutputFolder {
protected:
  void SetUp() override {
    OutputFolder::SetUp();
    fs::create_directories(path("model/parts"));
    ASSERT_TRUE(writeFile(path("model/parts/weights"), "12345").isOk());
    ASSERT_TRUE(writeFile(path("secret"), "6").isOk());
  }

  Status open(const std::string &name) const { return openBelow(path("model"), name).status(); }
};

TEST_F(FileBelowTest, OpensFilesInFolderAndBelow) {
  for (const char *name : {"parts/weights", "./parts//./weights"}) {
    auto file = openBelow(path("model"), name);
    ASSERT_TRUE(file.isOk()) << file.status().message();
    EXPECT_EQ(*fileSize(*file, name), 5u);
  }
}

TEST_F(FileBelowTest, RefusesPathsThatLeaveFolder) {
  for (const std::string name : {"../secret", "parts/../../secret", "parts/..", "", ".", "/", "parts/weights/"})
    EXPECT_EQ(open(name).code(), StatusCode::InvalidArgument) << name;
  EXPECT_EQ(open(path("secret")).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(open(std::string("parts\0x", 7)).code(), StatusCode::InvalidArgument);
}

TEST_F(FileBelowTest, RefusesLinksInAnyPart) {
  fs::create_symlink("parts/weights", path("model/link"));
  fs::create_directory_symlink("parts", path("model/folderLink"));
  EXPECT_THAT(open("link").message(), HasSubstr("'link' is a symbolic link"));
  EXPECT_THAT(open("folderLink/weights").message(), HasSubstr("'folderLink' is a symbolic link"));
}

TEST_F(FileBelowTest, FollowsLinksOfFolderItself) {
  fs::create_directory_symlink("model", path("other"));
  EXPECT_TRUE(openBelow(path("other"), "parts/weights").isOk());
}

TEST_F(FileBelowTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(path("model/fifo").c_str(), 0600), 0);
  EXPECT_THAT(open("fifo").message(), HasSubstr("not a regular file"));
  EXPECT_EQ(open("parts").code(), StatusCode::InvalidArgument);
  EXPECT_EQ(open("missing").code(), StatusCode::NotFound);
}

} // namespace
} // namespace avocet
