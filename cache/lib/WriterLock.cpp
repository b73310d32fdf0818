//===- WriterLock.cpp - Writers of one folder take turns -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriterLock.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::cache {
namespace {

constexpr const char *kName = "/.avocet-lock.tmp";
constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kPause = std::chrono::milliseconds(1);

/// Whether the path still names the open file: the holder before may have removed it.
bool isCurrent(const FileDescriptor &file, const std::string &path) {
  struct stat opened, named;
  return ::fstat(file.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

} // namespace

Result<WriterLock> WriterLock::acquire(const std::string &directory) {
  const std::string path = directory + kName;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (!file.isValid())
      return errnoStatus(errno, "cannot lock " + path);
    const bool isTaken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
    if (!isTaken && isCurrent(file, path))
      return WriterLock(path, std::move(file));
    if (isTaken && std::chrono::steady_clock::now() >= end)
      return resourceExhausted(path + ": another process has held the lock for half a minute; end it, or try again");
    if (isTaken)
      std::this_thread::sleep_for(kPause);
  }
}

/// Removes the file before the lock ends, so that no later holder loses it.
WriterLock::~WriterLock() {
  if (file_.isValid())
    ::unlink(path_.c_str());
}

} // namespace avocet::cache
