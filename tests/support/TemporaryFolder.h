//===- TemporaryFolder.h - A folder for one test ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_SUPPORT_TEMPORARYFOLDER_H
#define AVOCET_TESTS_SUPPORT_TEMPORARYFOLDER_H

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace avocet::test {

/// An empty folder that only this user may read; removed with all its contents at the end. Its path is short enough for
/// sockets in it.
class TemporaryFolder {
public:
  /// The folder's name is `name` and six random characters. Throws std::system_error if it cannot be made, which fails
  /// the test.
  explicit TemporaryFolder(const std::string &name) {
    std::string pattern = (std::filesystem::temp_directory_path() / (name + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make the folder " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored; // files that another process still makes there
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace avocet::test

#endif // AVOCET_TESTS_SUPPORT_TEMPORARYFOLDER_H
