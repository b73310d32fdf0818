//===- PositionalIo.cpp - Whole ranges of a file, wherever its position is -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/PositionalIo.h"

#include <cerrno>
#include <fmt/core.h>
#include <unistd.h>

namespace avocet {

Status readFromStart(const FileDescriptor &file, std::span<uint8_t> bytes, const std::string &name) {
  off_t offset = 0;
  while (!bytes.empty()) {
    ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errnoStatus(errno, "cannot read " + name);
    if (count == 0)
      return dataLoss(fmt::format("{}: ends {} bytes too early", name, bytes.size()));
    offset += count;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

Status writeFromStart(const FileDescriptor &file, std::span<const uint8_t> bytes, const std::string &name) {
  off_t offset = 0;
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return errnoStatus(errno, "cannot write " + name);
    offset += count;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

} // namespace avocet
