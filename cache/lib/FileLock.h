//===- FileLock.h - A lock between processes, bounded wait ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_FILELOCK_H
#define AVOCET_CACHE_LIB_FILELOCK_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/base/TrustedFolder.h"

#include <memory>
#include <string>

namespace avocet::cache {

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
