//===- OldestFirst.cpp - The entries of a store by age -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OldestFirst.h"

#include <algorithm>
#include <tuple>

#include <sys/stat.h>

namespace avocet::cache {

std::vector<AgedFile> oldestFirst(const PrivateDirectory &directory) {
  std::vector<AgedFile> files;
  for (const std::string &name : directory.entries()) {
    std::string path = directory.pathOf(name);
    struct stat info;
    if (::stat(path.c_str(), &info) == 0)
      files.push_back(
          {path, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec, static_cast<uint64_t>(info.st_size)});
  }
  std::sort(files.begin(), files.end(), [](const AgedFile &a, const AgedFile &b) {
    return std::tie(a.nanoseconds, a.path) < std::tie(b.nanoseconds, b.path);
  });
  return files;
}

} // namespace avocet::cache
