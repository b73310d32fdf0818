//===- TrustedFolder.cpp - A folder that no other user can change ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TrustedFolder.h"

#include "TemporaryFiles.h"
#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

constexpr int kMaxLinks = 40; // as in the kernel
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

using Owners = TrustedFolder::Owners;

Status requireOwner(const struct stat &info, const std::string &shown, Owners owners) {
  const uid_t user = owners == Owners::Root ? 0 : ::geteuid();
  if (info.st_uid == 0 || info.st_uid == user)
    return Status::ok();
  return failedPrecondition(
      fmt::format("{0} belongs to user {1}, who could change what is stored there; it must belong to {2} "
                  "(run 'chown {3} {0}'), or choose another place",
                  shown, info.st_uid, user == 0 ? "root" : fmt::format("root or user {}", user), user));
}

Status requireMode(const struct stat &info, const std::string &shown) {
  if ((info.st_mode & kWritableByOthers) == 0)
    return Status::ok();
  return failedPrecondition(fmt::format("{0} has mode {1:04o}, so other users could change what is stored there; only "
                                        "its owner may have the right to write (run 'chmod go-w {0}'), or choose "
                                        "another place",
                                        shown, info.st_mode & 07777u));
}

/// Checks that a file or folder belongs to one of the owners, and that no other user can write to it.
/// `shown` names it in the message.
Status requireTrusted(const struct stat &info, const std::string &shown, Owners owners) {
  AVOCET_RETURN_IF_ERROR(requireOwner(info, shown, owners));
  return requireMode(info, shown);
}

/// One walk from the root of the file system. `pending_` holds the names that are still to be entered.
class Walk {
public:
  Walk(bool create, Owners owners) : create_(create), owners_(owners) {}

  Result<FileDescriptor> run(const std::string &path) {
    push(path);
    AVOCET_RETURN_IF_ERROR(restart());
    while (!pending_.empty()) {
      std::string name = std::move(pending_.front());
      pending_.pop_front();
      AVOCET_RETURN_IF_ERROR(enter(name));
    }
    // The sticky bit protects existing files only. Other users could still make new ones.
    AVOCET_RETURN_IF_ERROR(requireTrusted(info_, shown_, owners_));
    return std::move(folder_);
  }

private:
  /// Puts the names of a path before those that are pending.
  void push(const std::filesystem::path &path) {
    std::deque<std::string> names;
    for (const std::filesystem::path &name : path.relative_path())
      if (!name.empty() && name != ".")
        names.push_back(name.string());
    pending_.insert(pending_.begin(), names.begin(), names.end());
  }

  Status restart() {
    folder_ = FileDescriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    shown_ = "/";
    return examine(folder_);
  }

  Status examine(const FileDescriptor &file) {
    if (!file.isValid() || ::fstat(file.get(), &info_) != 0)
      return errnoStatus(errno, "cannot open " + shown_);
    return Status::ok();
  }

  FileDescriptor open(const std::string &name) const {
    return FileDescriptor(::openat(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }

  /// The folder that was entered last holds the next name: no other user may be able to replace that.
  Status requireSafeParent() const {
    AVOCET_RETURN_IF_ERROR(requireOwner(info_, shown_, owners_));
    return (info_.st_mode & S_ISVTX) != 0 ? Status::ok() : requireMode(info_, shown_);
  }

  Status enter(const std::string &name) {
    AVOCET_RETURN_IF_ERROR(requireSafeParent());
    FileDescriptor next = open(name);
    // EEXIST: another process made the folder in the meantime.
    if (!next.isValid() && errno == ENOENT && create_ && pending_.empty() &&
        (::mkdirat(folder_.get(), name.c_str(), S_IRWXU) == 0 || errno == EEXIST))
      next = open(name);
    shown_ += (shown_.ends_with('/') ? "" : "/") + name;
    AVOCET_RETURN_IF_ERROR(examine(next));
    if (S_ISLNK(info_.st_mode))
      return follow(next);
    if (!S_ISDIR(info_.st_mode))
      return errnoStatus(ENOTDIR, "cannot open " + shown_);
    folder_ = std::move(next);
    return Status::ok();
  }

  Status follow(const FileDescriptor &link) {
    AVOCET_RETURN_IF_ERROR(requireOwner(info_, shown_, owners_));
    char target[4096];
    ssize_t length = ::readlinkat(link.get(), "", target, sizeof(target));
    if (length < 0 || ++links_ > kMaxLinks)
      return errnoStatus(length < 0 ? errno : ELOOP, "cannot open " + shown_);
    std::filesystem::path path(std::string(target, static_cast<size_t>(length)));
    push(path);
    if (path.is_absolute())
      return restart();
    shown_ = std::filesystem::path(shown_).parent_path().string();
    return examine(folder_);
  }

  bool create_;
  Owners owners_;
  int links_ = 0;
  std::deque<std::string> pending_;
  FileDescriptor folder_; ///< entered last
  struct stat info_ = {}; ///< of what `shown_` names
  std::string shown_;
};

/// Opens a folder (with O_PATH) by the rules of TrustedFolder.h. `create`: the last folder is made if it is missing.
Result<FileDescriptor> walkTrusted(const std::string &path, bool create, Owners owners) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error || path.empty())
    return errnoStatus(error ? error.value() : ENOENT, "cannot open " + path);
  return Walk(create, owners).run(absolute.string());
}

Status requireTrustedFile(const struct stat &info, const std::string &path, Owners owners) {
  if (!S_ISREG(info.st_mode))
    return failedPrecondition(path + " is no regular file; remove it, or choose another place");
  return requireTrusted(info, path, owners);
}

FolderEntry entryOf(std::string name, const struct stat &info) {
  return {std::move(name), static_cast<uint64_t>(info.st_size),
          info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

} // namespace

Result<TrustedFolder> TrustedFolder::open(const std::string &path, Missing missing, Owners owners) {
  Result<FileDescriptor> folder = walkTrusted(path, missing == Missing::Create, owners);
  if (!folder)
    return folder.status().withContext("cannot use the folder " + path);
  return TrustedFolder(path, std::move(*folder), owners);
}

Result<FileDescriptor> TrustedFolder::openFile(const std::string &name, Access access) const {
  // O_NONBLOCK: opening a FIFO must not block until its other end is opened.
  int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (access == Access::Read ? O_RDONLY : O_RDWR | O_CREAT);
  FileDescriptor file(::openat(folder_.get(), name.c_str(), flags, S_IRUSR | S_IWUSR));
  if (!file.isValid() && errno == ELOOP)
    return failedPrecondition(pathOf(name) + " is a symbolic link; remove it, or choose another place");
  struct stat info;
  if (!file.isValid() || ::fstat(file.get(), &info) != 0)
    return errnoStatus(errno, "cannot open " + pathOf(name));
  AVOCET_RETURN_IF_ERROR(requireTrustedFile(info, pathOf(name), owners_));
  return file;
}

Result<std::vector<uint8_t>> TrustedFolder::readFile(const std::string &name, uint64_t maxBytes) const {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openFile(name, Access::Read));
  return readAll(file, pathOf(name), maxBytes);
}

Status TrustedFolder::writeFile(const std::string &name, std::initializer_list<std::span<const uint8_t>> parts,
                                Durability durability) const {
  AVOCET_RETURN_IF_ERROR(has(name).status()); // an untrusted file is not replaced
  AVOCET_ASSIGN_OR_RETURN(Replacement file, Replacement::create(folder_.get(), name, pathOf(name), S_IRUSR | S_IWUSR));
  for (std::span<const uint8_t> part : parts)
    AVOCET_RETURN_IF_ERROR(file.write(part));
  const bool isFlushed = durability == Durability::Flushed;
  if (isFlushed)
    AVOCET_RETURN_IF_ERROR(file.flush());
  AVOCET_RETURN_IF_ERROR(file.close());
  return file.publish(isFlushed);
}

Result<bool> TrustedFolder::has(const std::string &name) const {
  struct stat info;
  if (::fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? Result<bool>(false) : errnoStatus(errno, "cannot examine " + pathOf(name));
  AVOCET_RETURN_IF_ERROR(requireTrustedFile(info, pathOf(name), owners_));
  return true;
}

Status TrustedFolder::remove(const std::string &name) const {
  AVOCET_ASSIGN_OR_RETURN(bool exists, has(name));
  if (exists && ::unlinkat(folder_.get(), name.c_str(), 0) != 0 && errno != ENOENT)
    return errnoStatus(errno, "cannot remove " + pathOf(name));
  return Status::ok();
}

void TrustedFolder::touch(const std::string &name) const {
  (void)::utimensat(folder_.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

std::vector<FolderEntry> TrustedFolder::list(bool temporary) const {
  std::vector<FolderEntry> found;
  for (std::string &name : namesIn(folder_.get())) {
    struct stat info;
    if (isTemporaryName(name) != temporary || ::fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !requireTrustedFile(info, name, owners_).isOk())
      continue;
    found.push_back(entryOf(std::move(name), info));
  }
  return found;
}

std::vector<FolderEntry> TrustedFolder::files() const { return list(false); }

void TrustedFolder::removeLeftovers() const {
  for (const FolderEntry &entry : list(true))
    (void)remove(entry.name);
}

} // namespace avocet
