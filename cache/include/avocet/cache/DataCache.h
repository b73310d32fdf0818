//===- DataCache.h - The constants of a model, mapped -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data cache (file data.avod) is plain bytes in the order in which the device consumes them, and an end with their
// identity, a checksum, which the model cache repeats. A reader of the pair compares the identities always, and the
// bytes with them unless told otherwise (ArtefactDir.h). It finds mixed pairs and damage, not forgery: constants can
// change results, and nothing else. Files of a folder of artefacts are mapped, because writers of this library replace
// files and never change them. A client's file is copied unless seals prevent changes, so that a running model keeps
// its constants; it is plain bytes, whose checksum is in the client's model file.
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
  /// Maps a file of a folder of artefacts; `name` is for messages. DataLoss unless its end has this identity, and its
  /// constants this size (ModelCache::dataBytes()). The constants are not read.
  static Result<std::shared_ptr<const DataCache>> map(FileDescriptor file, const std::string &name,
                                                      const Checksum &identity, uint64_t expectedBytes);

  /// From an open file of a client, at any offset, with exactly `expectedBytes`; DataLoss otherwise. Later changes to
  /// the file have no effect on this object. The file is mapped if it is sealed against writing and shrinking (see
  /// isImmutable()), and copied otherwise: the caller must have accounted for `expectedBytes` of memory. The file and
  /// its seals are not changed.
  static Result<std::shared_ptr<const DataCache>> fromFile(const FileDescriptor &file, uint64_t expectedBytes);

  /// Bytes [offset, offset + bytes) of a client's file, always copied. DataLoss: the file is shorter.
  static Result<std::shared_ptr<const DataCache>> fromPart(const FileDescriptor &file, uint64_t offset, uint64_t bytes);

  /// A data cache that was never a file (compile and run in one process): memory with a descriptor.
  static Result<std::shared_ptr<const DataCache>> fromBytes(std::span<const uint8_t> bytes);

  std::span<const uint8_t> bytes() const { return mapping_.bytes(); }

  /// Of all bytes. They are read for it, unless it was computed when they were copied.
  Checksum checksum() const { return checksum_ ? *checksum_ : checksumOf({bytes()}); }

  /// What the end of a file of artefacts says that the checksum is; nothing for other data.
  const std::optional<Checksum> &identity() const { return identity_; }

  /// Whether the seals of the file prevent every later change of its bytes.
  static bool isImmutable(const FileDescriptor &file);

  /// For back ends that import it, from its start on; it may be longer than the constants. Valid as long as the object
  /// lives.
  const FileDescriptor &file() const { return file_; }

private:
  struct Known {
    std::optional<Checksum> checksum, identity;
  };
  static Result<std::shared_ptr<const DataCache>> mapStart(FileDescriptor file, uint64_t bytes, const std::string &name,
                                                           const Known &known);
  DataCache(FileDescriptor file, Mapping mapping, const Known &known)
      : file_(std::move(file)), mapping_(std::move(mapping)), checksum_(known.checksum), identity_(known.identity) {}

  FileDescriptor file_;
  Mapping mapping_;
  std::optional<Checksum> checksum_;
  std::optional<Checksum> identity_;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_DATACACHE_H
