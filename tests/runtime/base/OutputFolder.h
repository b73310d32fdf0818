//===- OutputFolder.h - A folder for tests of output files ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BASE_OUTPUTFOLDER_H
#define AVOCET_TESTS_BASE_OUTPUTFOLDER_H

#include "avocet/base/File.h"

#include <algorithm>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sched.h>
#include <sstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet {

inline std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// An empty folder that only this user may write to; removed after the test.
class OutputFolder : public testing::Test {
protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/avocet-output-XXXXXX";
    ASSERT_NE(::mkdtemp(root_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  const std::string &root() const { return root_; }
  std::string path(const std::string &name) const { return root_ + "/" + name; }

  /// Neither put() nor get() uses the code under test.
  void put(const std::string &name, std::string_view text) const { std::ofstream(path(name)) << text; }
  std::string get(const std::string &name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }

  std::vector<std::string> names(const std::string &folder = "") const {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(path(folder)))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Creates a private device node; false if the process may not create one.
  bool makeDevice(const std::string &name, mode_t kind, unsigned major, unsigned minor) const {
    return ::mknod(path(name).c_str(), kind | 0600, makedev(major, minor)) == 0;
  }

  /// Runs `body` in a child process and returns its exit code, or -1 if a signal ended it.
  static int inChild(const std::function<int()> &body) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(body());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Mounts 64 KiB of memory, visible to this process only; false if the process may not mount.
  static bool mountSmallDisk(const std::string &folder) {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
  }

private:
  std::string root_;
};

} // namespace avocet

#endif // AVOCET_TESTS_BASE_OUTPUTFOLDER_H
