//===- PositionalIo.cpp - Reads and writes at fixed file positions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/PositionalIo.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>
#include <unistd.h>
#include <vector>

namespace avocet {
namespace {

/// Small enough that a block stays in the processor's cache between the read and the write.
constexpr uint64_t kPieceBytes = uint64_t{1} << 18;

Status readAt(const FileDescriptor &file, off_t offset, std::span<uint8_t> bytes, const std::string &name) {
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

} // namespace

Status writeAt(const FileDescriptor &file, uint64_t offset, std::span<const uint8_t> bytes, const std::string &name) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return errnoStatus(errno, "cannot write " + name);
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

Status writeFromStart(const FileDescriptor &file, std::span<const uint8_t> bytes, const std::string &name) {
  return writeAt(file, 0, bytes, name);
}

Result<Checksum> copyFromStart(const FileDescriptor &from, const FileDescriptor &to, uint64_t size,
                               const std::string &name) {
  ChecksumStream checksum;
  std::vector<uint8_t> buffer(std::min(size, kPieceBytes));
  for (uint64_t done = 0; done < size;) {
    std::span piece = std::span(buffer).first(std::min(size - done, kPieceBytes));
    AVOCET_RETURN_IF_ERROR(readAt(from, static_cast<off_t>(done), piece, name));
    AVOCET_RETURN_IF_ERROR(writeAt(to, done, piece, "the copy of " + name));
    checksum.add(piece);
    done += piece.size();
  }
  return checksum.checksum();
}

} // namespace avocet
