//===- ProcessLock.cpp - Readers and writers in this process ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessLock.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

namespace avocet::cache {
namespace {

struct Holders {
  uint32_t readers = 0;
  bool hasWriter = false;
  bool admits(bool isExclusive) const { return !hasWriter && (!isExclusive || readers == 0); }
  bool isEmpty() const { return !hasWriter && readers == 0; }
};

struct Table {
  std::mutex mutex; ///< guards `files`
  std::condition_variable changed;
  std::map<FileId, Holders> files; ///< those that are held
};

/// Never destroyed: a background thread may hold a lock while the process exits.
Table &table() {
  static Table &table = *new Table;
  return table;
}

void unlock(const FileId &file, bool isExclusive) {
  {
    std::lock_guard lock(table().mutex);
    auto found = table().files.find(file);
    if (isExclusive)
      found->second.hasWriter = false;
    else
      --found->second.readers;
    if (found->second.isEmpty())
      table().files.erase(found);
  }
  table().changed.notify_all();
}

} // namespace

std::shared_ptr<const void> lockInProcess(const FileId &file, bool isExclusive, std::chrono::milliseconds patience) {
  std::unique_lock lock(table().mutex);
  auto isFree = [&] {
    auto found = table().files.find(file);
    return found == table().files.end() || found->second.admits(isExclusive);
  };
  if (!table().changed.wait_for(lock, patience, isFree))
    return nullptr;
  Holders &holders = table().files[file];
  if (isExclusive)
    holders.hasWriter = true;
  else
    ++holders.readers;
  lock.unlock();
  return {&table(), [file, isExclusive](const void *) { unlock(file, isExclusive); }};
}

} // namespace avocet::cache
