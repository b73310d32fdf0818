//===- DataCache.h - The constants of a model, mapped -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data cache (file data.avod) is plain bytes in the order in which the device consumes them. It is mapped and never
// copied, checked or hashed: whatever stands there can change numbers, and nothing else. A file that somebody truncates
// while it is mapped faults the process that reads it, as with every mapping; writers of this library replace files and
// never shorten them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_DATACACHE_H
#define AVOCET_CACHE_DATACACHE_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace avocet::cache {

/// Immutable; may be used from any thread.
class DataCache {
public:
  /// Maps a file that must have exactly `expectedBytes` (ModelCache::dataBytes()). DataLoss otherwise.
  static Result<std::shared_ptr<const DataCache>> open(const std::string &path, uint64_t expectedBytes);

  /// The same from an open file, of which the object keeps a duplicate. Whoever owns the file may change or even
  /// truncate it later: the numbers change then, and nothing else (see Mapping).
  static Result<std::shared_ptr<const DataCache>> fromFile(const FileDescriptor &file, uint64_t expectedBytes);

  /// A data cache that was never a file (compile and run in one process): memory with a descriptor.
  static Result<std::shared_ptr<const DataCache>> fromBytes(std::span<const uint8_t> bytes);

  std::span<const uint8_t> bytes() const { return mapping_.bytes(); }

  /// For back ends that import it; lives as long as the object.
  const FileDescriptor &file() const { return file_; }

private:
  static Result<std::shared_ptr<const DataCache>> map(FileDescriptor file, uint64_t expectedBytes,
                                                      const std::string &name);
  DataCache(FileDescriptor file, Mapping mapping) : file_(std::move(file)), mapping_(std::move(mapping)) {}

  FileDescriptor file_;
  Mapping mapping_;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_DATACACHE_H
