//===- WriterLock.h - Writers of one folder take turns -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_WRITERLOCK_H
#define AVOCET_CACHE_LIB_WRITERLOCK_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <string>

namespace avocet::cache {

/// Excludes other writers, of this process and of others, while both artefacts of a folder are renamed. The lock is a
/// file that exists only as long as it is held; what a killed process leaves is taken over. Readers need no lock.
class WriterLock {
public:
  /// ResourceExhausted: others held it for half a minute. A file system without locks gives an object without effect:
  /// then two writers can leave a pair that readers refuse.
  static Result<WriterLock> acquire(const std::string &directory);

  WriterLock(WriterLock &&) noexcept = default;
  WriterLock &operator=(WriterLock &&) = delete;
  ~WriterLock();

private:
  WriterLock(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_WRITERLOCK_H
