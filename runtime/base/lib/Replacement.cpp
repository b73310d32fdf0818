//===- Replacement.cpp - A temporary file that is renamed when complete -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replacement.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

constexpr std::string_view kPrefix = ".avocet-";
constexpr std::string_view kSuffix = ".tmp";
constexpr size_t kDigits = 16;

/// Random, because processes of different PID namespaces can share a folder.
Result<std::string> temporaryName() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number))
    return errnoStatus(errno, "cannot choose the name of a temporary file");
  return fmt::format("{}{:016x}{}", kPrefix, number, kSuffix);
}

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

bool isTemporaryName(std::string_view name) {
  return name.size() == kPrefix.size() + kDigits + kSuffix.size() && name.starts_with(kPrefix) &&
         name.ends_with(kSuffix);
}

Result<Replacement> Replacement::create(int folder, std::string name, std::string path, mode_t mode) {
  AVOCET_ASSIGN_OR_RETURN(std::string temporary, temporaryName());
  Replacement made(folder, std::move(name), std::move(path));
  made.file_ =
      FileDescriptor(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!made.file_.isValid())
    return errnoStatus(errno, "cannot create a file beside " + made.path_);
  made.temporary_ = std::move(temporary);
  return made;
}

Replacement::Replacement(Replacement &&other) noexcept
    : folder_(other.folder_), name_(std::move(other.name_)), path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})), file_(std::move(other.file_)) {}

Replacement::~Replacement() {
  if (!temporary_.empty())
    ::unlinkat(folder_, temporary_.c_str(), 0);
}

Status Replacement::flush() {
  return ::fsync(file_.get()) == 0 ? Status::ok() : errnoStatus(errno, "cannot write " + path_);
}

Status Replacement::close() {
  int fd = file_.release();
  // EINTR: the descriptor is closed nevertheless, and no data was lost.
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR)
    return errnoStatus(errno, "cannot write " + path_);
  return Status::ok();
}

Status Replacement::publish(bool durable) {
  struct stat current;
  if (::fstatat(folder_, name_.c_str(), &current, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(current.st_mode))
    return invalidArgument("cannot replace " + path_ + ": it is no regular file");
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0)
    return errnoStatus(errno, "cannot create " + path_);
  temporary_.clear();
  return durable ? flushFolder(folder_, path_) : Status::ok();
}

} // namespace avocet
