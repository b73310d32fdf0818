//===- PageFiles.h - The files of the report's page -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_PAGEFILES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_PAGEFILES_H

#include "avocet/base/EmbeddedFile.h"

#include <span>

namespace avocet::tool {

/// All of them, scripts in the order in which they run; embedded by CMakeLists.txt.
std::span<const EmbeddedFile> pageFiles();

/// The text of a file that exists.
std::string_view pageFile(std::string_view name);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_PAGEFILES_H
