//===- LibraryFolder.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/LibraryFolder.h"

#include <dlfcn.h>
#include <filesystem>

namespace avocet::nnapi {

std::string libraryFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&libraryFolder), &info) == 0 || info.dli_fname == nullptr)
    return ".";
  std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  return folder.empty() ? "." : folder.string();
}

} // namespace avocet::nnapi
