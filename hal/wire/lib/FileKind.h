//===- FileKind.h - Names of kinds of files ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_LIB_FILEKIND_H
#define AVOCET_HAL_WIRE_LIB_FILEKIND_H

#include <string_view>
#include <sys/stat.h>

namespace avocet::hal {

/// The kind in `mode` for messages: "a symbolic link".
inline std::string_view fileKind(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFREG:
    return "a regular file";
  case S_IFDIR:
    return "a folder";
  case S_IFLNK:
    return "a symbolic link";
  case S_IFIFO:
    return "a FIFO";
  default:
    return "a device node";
  }
}

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_LIB_FILEKIND_H
