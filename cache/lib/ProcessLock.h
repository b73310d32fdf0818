//===- ProcessLock.h - Readers and writers in this process ------*- C++ -*-===//
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

#ifndef AVOCET_CACHE_LIB_PROCESSLOCK_H
#define AVOCET_CACHE_LIB_PROCESSLOCK_H

#include <chrono>
#include <memory>

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

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_PROCESSLOCK_H
