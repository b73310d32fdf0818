//===- BoundedReader.h - Reads bytes that another process wrote -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every read of a client's memory goes through this class: packets, message memory, elements of rings, cache files,
// pools. Each read checks the bounds and copies: the owner may change the bytes at any time, so callers check and use
// the same copy. Sizes that the owner controls never end the process: an allocation that fails is an error.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_BOUNDEDREADER_H
#define AVOCET_BASE_BOUNDEDREADER_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace avocet {

/// A view of bytes in this process or of a range of a file. It owns nothing: the bytes, the descriptor and the name
/// must outlive it. Any thread.
class BoundedReader {
public:
  /// `name` appears in messages.
  BoundedReader(std::span<const uint8_t> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  /// Bytes [start, start + size) of a file, read with pread(): a file that shrinks gives an error, not a signal.
  BoundedReader(const FileDescriptor &file, uint64_t size, std::string_view name, uint64_t start = 0)
      : file_(&file), start_(start), fileBytes_(size), name_(name) {}

  uint64_t size() const { return file_ != nullptr ? fileBytes_ : bytes_.size(); }

  /// Copies bytes [offset, offset + out.size()). InvalidArgument: they reach beyond the end; nothing was read.
  /// DataLoss: the file is shorter than its size says.
  Status copy(uint64_t offset, std::span<uint8_t> out) const;

  /// The bytes [offset, offset + count) in new memory. ResourceExhausted: there is no memory for them.
  Result<std::vector<uint8_t>> bytes(uint64_t offset, uint64_t count) const;
  Result<std::vector<uint8_t>> bytes() const { return bytes(0, size()); }

  /// One value at any alignment; nullopt when it reaches beyond the end or cannot be read.
  template <typename T> std::optional<T> value(uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    if (!copy(offset, {reinterpret_cast<uint8_t *>(&value), sizeof(T)}).isOk())
      return std::nullopt;
    return value;
  }

private:
  bool contains(uint64_t offset, uint64_t count) const { return offset <= size() && count <= size() - offset; }
  Status copyFromFile(uint64_t offset, std::span<uint8_t> out) const;

  std::span<const uint8_t> bytes_;
  const FileDescriptor *file_ = nullptr;
  uint64_t start_ = 0;
  uint64_t fileBytes_ = 0;
  std::string_view name_;
};

} // namespace avocet

#endif // AVOCET_BASE_BOUNDEDREADER_H
