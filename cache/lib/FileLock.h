//===- FileLock.h - A lock between processes, bounded wait ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File locks of a sandboxed service belong to the client's open file description, which all its threads share: they
// exclude other processes only. This lock excludes the threads of one process from each other.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_FILELOCK_H
#define AVOCET_CACHE_LIB_FILELOCK_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/base/TrustedFolder.h"

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>

namespace avocet::cache {

/// A file, whatever descriptor denotes it.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId &) const = default;
};

/// Held until the last copy of the result is released, by any thread; exclusive, or shared with other readers. Null:
/// others held it for the whole time.
std::shared_ptr<const void> lockInProcess(const FileId &file, bool isExclusive, std::chrono::milliseconds patience);

/// Holds an open-file-description lock on a whole file until destruction. Such locks exclude processes and threads
/// alike and end when their holder dies. They are advisory: code that does not lock is not held back.
class FileLock {
public:
  enum class Kind { Shared, Exclusive };

  /// Locks a file of the folder, which is created if it does not exist. ResourceExhausted after about two seconds.
  static Result<FileLock> acquire(const TrustedFolder &folder, const std::string &name, Kind kind);

  /// Locks a caller's file through a descriptor of this object, so that descriptors duplicated from one another exclude
  /// each other too. A process that may not open the caller's file, such as a sandboxed service, locks it through the
  /// caller's descriptor: then only its own threads and other openings of the file are excluded. `name` is for
  /// messages.
  static Result<FileLock> acquire(const FileDescriptor &file, Kind kind, const std::string &name);

  FileLock(FileLock &&) = default;
  FileLock &operator=(FileLock &&) = delete;
  ~FileLock();

private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  static Result<FileLock> lock(FileDescriptor file, Kind kind, const std::string &name);

  std::shared_ptr<const void> inProcess_; ///< of a caller's file; released after the file's own lock
  FileDescriptor file_;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_FILELOCK_H
