//===- DataCache.h - The constants of a model, mapped -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data cache (file data.avod) is plain bytes in the order in which the device consumes them. It is never checked or
// hashed: its contents can change results, and nothing else. The driver's own files are mapped, because writers of this
// library replace files and never change them. A client's file is copied unless seals prevent changes, so that a
// running model keeps its constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_DATACACHE_H
#define AVOCET_CACHE_DATACACHE_H

#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace avocet::cache {

/// Immutable; may be used from any thread.
class DataCache {
public:
  /// Maps a file that must have exactly `expectedBytes` (ModelCache::dataBytes()). DataLoss otherwise.
  static Result<std::shared_ptr<const DataCache>> open(const std::string &path, uint64_t expectedBytes);

  /// The same from an open file of a client, at any offset. Later changes to the file have no effect on this object.
  /// The file is mapped if it is sealed against writing and shrinking (see isImmutable()), and copied otherwise:
  /// the caller must have accounted for `expectedBytes` of memory. The file and its seals are not changed.
  static Result<std::shared_ptr<const DataCache>> fromFile(const FileDescriptor &file, uint64_t expectedBytes);

  /// Bytes [offset, offset + bytes) of a client's file, always copied. DataLoss: the file is shorter.
  static Result<std::shared_ptr<const DataCache>> fromPart(const FileDescriptor &file, uint64_t offset, uint64_t bytes);

  /// A data cache that was never a file (compile and run in one process): memory with a descriptor.
  static Result<std::shared_ptr<const DataCache>> fromBytes(std::span<const uint8_t> bytes);

  std::span<const uint8_t> bytes() const { return mapping_.bytes(); }

  /// Of all bytes. They are read for it, unless it was computed when they were copied.
  Checksum checksum() const { return checksum_ ? *checksum_ : checksumOf({bytes()}); }

  /// Whether the seals of the file prevent every later change of its bytes.
  static bool isImmutable(const FileDescriptor &file);

  /// For back ends that import it; valid as long as the object lives.
  const FileDescriptor &file() const { return file_; }

private:
  static Result<std::shared_ptr<const DataCache>> map(FileDescriptor file, uint64_t bytes, const std::string &name,
                                                      std::optional<Checksum> checksum = {});
  DataCache(FileDescriptor file, Mapping mapping, std::optional<Checksum> checksum)
      : file_(std::move(file)), mapping_(std::move(mapping)), checksum_(checksum) {}

  FileDescriptor file_;
  Mapping mapping_;
  std::optional<Checksum> checksum_;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_DATACACHE_H
