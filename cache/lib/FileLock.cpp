//===- FileLock.cpp - A lock between processes, bounded wait ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileLock.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <thread>

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

namespace {

struct flock wholeFile(short type) {
  struct flock request = {};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  return request;
}

constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::milliseconds(2);

Status tooLong(const std::string &name) {
  return resourceExhausted(name + ": another process or thread has held the lock for two seconds; try again later");
}

} // namespace

/// Closing the file would not release the lock of an open file description that the caller keeps.
FileLock::~FileLock() {
  struct flock request = wholeFile(F_UNLCK);
  if (file_.isValid())
    (void)::fcntl(file_.get(), F_OFD_SETLK, &request);
}

Result<FileLock> FileLock::acquire(const TrustedFolder &folder, const std::string &name, Kind kind) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, folder.openFile(name, TrustedFolder::Access::ReadWriteCreate));
  return lock(std::move(file), kind, folder.path() + "/" + name);
}

Result<FileLock> FileLock::acquire(const FileDescriptor &file, Kind kind, const std::string &name) {
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return errnoStatus(errno, "cannot examine " + name);
  // A duplicate would share its lock with the original; opening again gives a separate open file description.
  FileDescriptor own(::open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  // Readers that share the caller's description would release each other's lock, so they take turns.
  const bool isAlone = kind == Kind::Exclusive || !own.isValid();
  auto inProcess = lockInProcess({info.st_dev, info.st_ino}, isAlone, kPatience);
  if (inProcess == nullptr)
    return tooLong(name);
  if (!own.isValid()) {
    AVOCET_ASSIGN_OR_RETURN(own, file.duplicate());
  }
  AVOCET_ASSIGN_OR_RETURN(FileLock made, lock(std::move(own), kind, name));
  made.inProcess_ = std::move(inProcess);
  return made;
}

Result<FileLock> FileLock::lock(FileDescriptor file, Kind kind, const std::string &name) {
  struct flock request = wholeFile(kind == Kind::Shared ? F_RDLCK : F_WRLCK);
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (::fcntl(file.get(), F_OFD_SETLK, &request) != 0) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR)
      return errnoStatus(errno, "cannot lock " + name);
    if (std::chrono::steady_clock::now() >= end)
      return tooLong(name);
    std::this_thread::sleep_for(kPause);
  }
  return FileLock(std::move(file));
}

} // namespace avocet::cache
