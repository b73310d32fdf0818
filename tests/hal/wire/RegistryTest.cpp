//===- RegistryTest.cpp - Which folders and entries are used ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketFixture.h"

#include "avocet/hal/wire/Registry.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace avocet::hal {
namespace {

using ::testing::HasSubstr;

class RegistryFolderTest : public testing::SocketFixture {
protected:
  void addSocket(const std::string &name) {
    path_ = folder_ + "/" + name;
    (void)bindSocket();
  }
  /// The problem of the only entry.
  std::string onlyProblem() const {
    Result<std::vector<RegistryEntry>> entries = readRegistry(folder_);
    EXPECT_TRUE(entries.isOk() && entries->size() == 1);
    return entries && entries->size() == 1 ? entries->front().problem : "";
  }
  void expectRefusedFolder(const std::string &words) const {
    for (const Error &why : {readRegistry(folder_).error(), registryPath(folder_, "name").error(),
                             registeredSocket(folder_, "name").error()}) {
      EXPECT_EQ(why.code, ErrorStatus::InvalidArgument);
      EXPECT_THAT(why.message, HasSubstr("registry " + folder_));
      EXPECT_THAT(why.message, HasSubstr(words));
    }
  }
};

TEST_F(RegistryFolderTest, ListsSocketsInOrderOfNames) {
  for (const char *name : {"vendor-2", "B", "a.1_x"})
    addSocket(name);
  std::ofstream(folder_ + "/.hidden") << "data";
  Result<std::vector<RegistryEntry>> entries = readRegistry(folder_);
  ASSERT_TRUE(entries.isOk()) << entries.error().message;
  ASSERT_EQ(entries->size(), 3u);
  const char *expected[] = {"B", "a.1_x", "vendor-2"};
  for (size_t i = 0; i < entries->size(); ++i) {
    EXPECT_EQ((*entries)[i].name, expected[i]);
    EXPECT_EQ((*entries)[i].socket, folder_ + "/" + expected[i]);
    EXPECT_EQ((*entries)[i].problem, "");
  }
}

TEST_F(RegistryFolderTest, RefusesFolderThatOthersMayWrite) {
  for (mode_t mode : {0777u, 0770u, 0757u, 01777u}) {
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    expectRefusedFolder("other users could change");
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_TRUE(readRegistry(folder_).isOk());
}

TEST_F(RegistryFolderTest, RefusesFolderBelowOneThatOthersMayWrite) {
  const std::string above = folder_;
  folder_ += "/services";
  ASSERT_EQ(::mkdir(folder_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(above.c_str(), 0777), 0);
  expectRefusedFolder(above);
  ASSERT_EQ(::chmod(above.c_str(), 0755), 0);
  folder_ = above;
}

TEST_F(RegistryFolderTest, RefusesFolderOfOtherUser) {
  constexpr uid_t kOther = 65534;
  if (::chown(folder_.c_str(), kOther, kOther) != 0)
    return; // only root can
  expectRefusedFolder("65534");
}

TEST_F(RegistryFolderTest, RefusesAbsentFolder) {
  const std::string existing = folder_;
  folder_ += "/absent";
  expectRefusedFolder("absent");
  folder_ = existing;
}

TEST_F(RegistryFolderTest, RefusesSymbolicLinkToSocket) {
  const std::string target = folder_ + "Target";
  path_ = target;
  const FileDescriptor socket = bindSocket(8);
  ASSERT_EQ(::symlink(target.c_str(), (folder_ + "/name").c_str()), 0);
  EXPECT_THAT(onlyProblem(), HasSubstr("a symbolic link"));
  EXPECT_THAT(registeredSocket(folder_, "name").error().message, HasSubstr("a symbolic link"));
  std::filesystem::remove(target);
}

TEST_F(RegistryFolderTest, RefusesFilesThatAreNoSockets) {
  std::ofstream(folder_ + "/name") << "data";
  EXPECT_THAT(onlyProblem(), HasSubstr("a regular file"));
  std::filesystem::remove(folder_ + "/name");
  ASSERT_EQ(::mkdir((folder_ + "/name").c_str(), 0755), 0);
  EXPECT_THAT(onlyProblem(), HasSubstr("a folder"));
}

TEST_F(RegistryFolderTest, RefusesNamesThatAreNoServices) {
  addSocket("two words");
  EXPECT_THAT(onlyProblem(), HasSubstr("name"));
  for (const std::string &name : {std::string(), std::string(".a"), std::string(".."), std::string("a/b"),
                                  std::string("a@b"), std::string("a\n"), std::string(65, 'a')})
    EXPECT_EQ(registryPath(folder_, name).code(), ErrorStatus::InvalidArgument) << name;
  for (const std::string &name : {std::string("a"), std::string("Vendor-1.0_x"), std::string(64, 'a')})
    EXPECT_TRUE(registryPath(folder_, name).isOk()) << name;
}

TEST_F(RegistryFolderTest, RegisteredSocketNeedsEntry) {
  EXPECT_EQ(registeredSocket(folder_, "name").code(), ErrorStatus::InvalidArgument);
  addSocket("name");
  Result<std::string> socket = registeredSocket(folder_, "name");
  ASSERT_TRUE(socket.isOk()) << socket.error().message;
  EXPECT_EQ(*socket, folder_ + "/name");
}

TEST_F(RegistryFolderTest, OnlyFoldersAreRegistries) {
  addSocket("name");
  EXPECT_TRUE(isRegistry(folder_));
  EXPECT_FALSE(isRegistry(folder_ + "/name"));
  EXPECT_FALSE(isRegistry(folder_ + "/absent"));
}

} // namespace
} // namespace avocet::hal
