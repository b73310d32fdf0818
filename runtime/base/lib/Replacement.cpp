//===- Replacement.cpp - A temporary file that is renamed when complete -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replacement.h"

#include "TemporaryFiles.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

/// `folder` may be opened with O_PATH, which fsync() does not accept.
Status flushFolder(int folder, const std::string &path) {
  FileDescriptor readable(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable.isValid() || ::fsync(readable.get()) != 0)
    return errnoStatus(errno, "cannot flush the folder of " + path);
  return Status::ok();
}

} // namespace

Status writeAll(int fd, std::span<const uint8_t> bytes, const std::string &path) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errnoStatus(errno, "cannot write " + path);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status::ok();
}

Status closeFile(FileDescriptor &file, const std::string &path) {
  int fd = file.release();
  // EINTR: the descriptor is closed nevertheless, and no data was lost.
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR)
    return errnoStatus(errno, "cannot write " + path);
  return Status::ok();
}

Result<Replacement> Replacement::create(int folder, std::string name, std::string path, mode_t mode,
                                        std::string_view tag) {
  Replacement made(folder, std::move(name), std::move(path));
  while (true) {
    AVOCET_ASSIGN_OR_RETURN(std::string temporary, temporaryName(tag));
    made.file_ =
        FileDescriptor(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!made.file_.isValid())
      return errnoStatus(errno, "cannot create a file beside " + made.path_);
    made.temporary_ = std::move(temporary);
    if (lockAsWriter(made.file_))
      break;
    // Another process took the file for that of a dead one, before it was locked.
    ::unlinkat(folder, made.temporary_.c_str(), 0);
  }
  AVOCET_ASSIGN_OR_RETURN(made.lock_, made.file_.duplicate());
  return made;
}

Replacement::Replacement(Replacement &&other) noexcept
    : folder_(other.folder_), name_(std::move(other.name_)), path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})), file_(std::move(other.file_)), lock_(std::move(other.lock_)) {}

Replacement::~Replacement() {
  if (!temporary_.empty())
    ::unlinkat(folder_, temporary_.c_str(), 0);
}

Status Replacement::flush() {
  return ::fsync(file_.get()) == 0 ? Status::ok() : errnoStatus(errno, "cannot write " + path_);
}

Status Replacement::flushName() { return flushFolder(folder_, path_); }

Status Replacement::checkReplaceable() const {
  struct stat current;
  if (::fstatat(folder_, name_.c_str(), &current, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(current.st_mode))
    return invalidArgument("cannot replace " + path_ + ": it is no regular file");
  return Status::ok();
}

Status Replacement::publish(bool durable) {
  AVOCET_RETURN_IF_ERROR(checkReplaceable());
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0)
    return errnoStatus(errno, "cannot create " + path_);
  temporary_.clear();
  lock_.reset();
  return durable ? flushFolder(folder_, path_) : Status::ok();
}

} // namespace avocet
