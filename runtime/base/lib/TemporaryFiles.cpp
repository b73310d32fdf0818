//===- TemporaryFiles.cpp - Names and owners of temporary files ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFiles.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

constexpr std::string_view kPrefix = ".avocet-";
constexpr std::string_view kSuffix = ".tmp";
constexpr size_t kDigits = 16;

bool isDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool isTagCharacter(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; }

struct CloseFolder {
  void operator()(DIR *folder) const { ::closedir(folder); }
};

std::unique_ptr<DIR, CloseFolder> openListing(int folder) {
  FileDescriptor readable(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, CloseFolder> listing(::fdopendir(readable.get()));
  if (listing)
    (void)readable.release();
  return listing;
}

/// Whether no process holds the lock of the file. As long as the descriptor is open, no writer can get the lock.
bool takeLockOfDead(const FileDescriptor &file) {
  struct stat info;
  return file.isValid() && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

} // namespace

Result<std::string> temporaryName(std::string_view tag) {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number))
    return errnoStatus(errno, "cannot choose the name of a temporary file");
  return fmt::format("{}{}{}{:016x}{}", kPrefix, tag, tag.empty() ? "" : "-", number, kSuffix);
}

bool isTemporaryName(std::string_view name) {
  if (name.size() < kPrefix.size() + kDigits + kSuffix.size() || !name.starts_with(kPrefix) || !name.ends_with(kSuffix))
    return false;
  const std::string_view digits = name.substr(name.size() - kSuffix.size() - kDigits, kDigits);
  const std::string_view tag = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size() - kDigits);
  return std::ranges::all_of(digits, isDigit) && std::ranges::all_of(tag, isTagCharacter) &&
         (tag.empty() || tag.ends_with('-'));
}

std::string_view tagOfTemporary(std::string_view name) {
  const size_t tag = name.size() - kPrefix.size() - kSuffix.size() - kDigits;
  return tag == 0 ? std::string_view() : name.substr(kPrefix.size(), tag - 1);
}

bool lockAsWriter(const FileDescriptor &file) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return errno != EWOULDBLOCK;
  struct stat info;
  return ::fstat(file.get(), &info) != 0 || info.st_nlink != 0;
}

std::vector<std::string> namesIn(int folder) {
  std::vector<std::string> names;
  const auto listing = openListing(folder);
  while (dirent *entry = listing ? ::readdir(listing.get()) : nullptr)
    names.emplace_back(entry->d_name);
  return names;
}

void removeLeftovers(int folder, Leftovers which) {
  for (const std::string &name : namesIn(folder)) {
    if (!isTemporaryName(name) || (which == Leftovers::Untagged && !tagOfTemporary(name).empty()))
      continue;
    const FileDescriptor file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (takeLockOfDead(file))
      ::unlinkat(folder, name.c_str(), 0);
  }
}

void removeLeftoversOnce(int folder, std::string_view path) {
  // Never destroyed: traces are written while the process ends.
  static auto &mutex = *new std::mutex;
  static auto &seen = *new std::set<std::string, std::less<>>; // by path: inodes are used again
  {
    std::lock_guard lock(mutex);
    if (!seen.emplace(path.substr(0, path.find_last_of('/') + 1)).second)
      return;
  }
  removeLeftovers(folder, Leftovers::Untagged);
}

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
