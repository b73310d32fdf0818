//===- NodeSearchTest.cpp - Which device node is opened -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "avocet/runtime/KernelBackend.h"

#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

namespace avocet::runtime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder with links to nodes.
class NodeSearchTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("nodes-{}", ::getpid());
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void link(const char *name, const char *to) const { fs::create_symlink(to, folder_ / name); }

  static Status open(const std::string &place, const char *target = "e256") {
    BackendOptions options;
    options.target = firmware::Target::load(target).value();
    return openKernelBackend(options, place).status();
  }

  fs::path folder_;
};

} // namespace

TEST_F(NodeSearchTest, EmptyFolderNamesDriverToLoad) {
  const Status status = open(folder_);
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_THAT(status.message(), HasSubstr("modprobe avocet"));
}

TEST_F(NodeSearchTest, MissingNodeNamesDriverToLoad) {
  const Status status = open(folder_ / "accel7");
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_THAT(status.message(), HasSubstr("accel7; load the kernel driver (modprobe avocet)"));
}

TEST_F(NodeSearchTest, NodeOfAnotherDriverIsUnsupported) {
  link("accel0", "/dev/null");
  for (const fs::path &place : {folder_, folder_ / "accel0"}) {
    const Status status = open(place);
    EXPECT_EQ(status.code(), StatusCode::Unsupported);
    EXPECT_THAT(status.message(), HasSubstr("accel0 is no device of the driver 'avocet'"));
  }
}

TEST_F(NodeSearchTest, NodeWithoutPermissionNamesGroup) {
  link("accel0", "/dev/null");
  const fs::path node = folder_ / "accel1";
  FileDescriptor made(::creat(node.c_str(), 0600));
  ASSERT_TRUE(made.isValid());
  fs::permissions(folder_, fs::perms::all);
  if (::geteuid() != 0)
    fs::permissions(node, fs::perms::none);
  else
    ASSERT_EQ(::seteuid(65534), 0);
  const Status status = open(folder_);
  if (::getuid() == 0)
    ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("accel1: permission denied; devices are for the group render"));
}

TEST_F(NodeSearchTest, SkipsNodesOfOtherDrivers) {
  link("accel2", "/dev/null");
  link("accel10", "/dev/accel/accel0");
  link("accel11", "/dev/zero");
  EXPECT_TRUE(open(folder_).isOk());
  EXPECT_TRUE(open("").isOk());
}

TEST_F(NodeSearchTest, DeviceOfAnotherTargetIsNamed) {
  link("accel2", "/dev/null");
  link("accel10", "/dev/accel/accel0");
  const Status status = open(folder_, "m512");
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("accel10: the device is a e256, not a m512"));
}

} // namespace avocet::runtime::test
