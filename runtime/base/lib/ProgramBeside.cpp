//===- ProgramBeside.cpp - Other files of the installation ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ProgramBeside.h"

#include <filesystem>

namespace avocet {

std::string programBeside(const std::string &name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

std::string libraryBeside(const std::string &name) {
  // The build has lib/, an installation may have lib/MACHINE.
  for (const char *folder : {"../lib", AVOCET_LIBRARIES_FROM_PROGRAMS}) {
    std::error_code error;
    const auto path = std::filesystem::path(programBeside(folder)).lexically_normal() / name;
    if (std::filesystem::exists(path, error))
      return path.string();
  }
  return "";
}

} // namespace avocet
