//===- ScratchDirectory.cpp ----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/conformance/ScratchDirectory.h"

#include "avocet/base/File.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace avocet::hal::conformance {
namespace {

/// In memory, if available: a device flushes its records to disk thousands of times in a run.
constexpr const char *kMemoryFolder = "/dev/shm";

} // namespace

avocet::Result<ScratchDirectory> ScratchDirectory::make() {
  std::error_code error;
  std::string pattern;
  for (const std::filesystem::path &folder :
       {std::filesystem::path(kMemoryFolder), std::filesystem::temp_directory_path(error)}) {
    pattern = (folder / "avocet-conformance-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr)
      return ScratchDirectory(std::move(pattern));
  }
  return errnoStatus(errno, "cannot make " + pattern);
}

void ScratchDirectory::remove() {
  std::error_code ignored; // remaining files lie in a folder of temporary files
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
  path_.clear();
}

} // namespace avocet::hal::conformance
