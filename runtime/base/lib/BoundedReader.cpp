//===- BoundedReader.cpp - Reads bytes that another process wrote -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/BoundedReader.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace avocet {

Status BoundedReader::copy(uint64_t offset, std::span<uint8_t> out) const {
  if (!contains(offset, out.size()))
    return invalidArgument(
        fmt::format("{}: {} bytes at {} reach beyond its {} bytes", name_, out.size(), offset, size()));
  if (file_ != nullptr)
    return copyFromFile(offset, out);
  if (!out.empty())
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return Status::ok();
}

Status BoundedReader::copyFromFile(uint64_t offset, std::span<uint8_t> out) const {
  constexpr uint64_t kMaxPosition = std::numeric_limits<off_t>::max();
  if (start_ > kMaxPosition || offset > kMaxPosition - start_)
    return invalidArgument(fmt::format("{}: byte {} is beyond the largest offset of a file", name_, offset));
  uint64_t position = start_ + offset;
  while (!out.empty()) {
    ssize_t count = ::pread(file_->get(), out.data(), out.size(), static_cast<off_t>(position));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errnoStatus(errno, fmt::format("cannot read {}", name_));
    if (count == 0)
      return dataLoss(fmt::format("{}: ends {} bytes too early", name_, out.size()));
    position += static_cast<uint64_t>(count);
    out = out.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

Result<std::vector<uint8_t>> BoundedReader::bytes(uint64_t offset, uint64_t count) const {
  if (!contains(offset, count))
    return invalidArgument(fmt::format("{}: {} bytes at {} reach beyond its {} bytes", name_, count, offset, size()));
  std::vector<uint8_t> copied;
  try {
    copied.resize(count);
  } catch (const std::bad_alloc &) {
    return resourceExhausted(fmt::format("{}: no memory for its {} bytes", name_, count));
  } catch (const std::length_error &) {
    return resourceExhausted(fmt::format("{}: no memory for its {} bytes", name_, count));
  }
  AVOCET_RETURN_IF_ERROR(copy(offset, copied));
  return copied;
}

} // namespace avocet
