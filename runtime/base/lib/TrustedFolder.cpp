//===- TrustedFolder.cpp - A folder that no other user can change -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TrustedFolder.h"

#include "ReadAll.h"
#include "Replacement.h"
#include "TemporaryFiles.h"
#include "TrustedPath.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

Status requireTrustedFile(const struct stat &info, const std::string &path) {
  if (!S_ISREG(info.st_mode))
    return failedPrecondition(path + " is no regular file; remove it, or choose another place");
  return requireTrusted(info, path);
}

FolderEntry entryOf(std::string name, const struct stat &info) {
  return {std::move(name), static_cast<uint64_t>(info.st_size),
          info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

} // namespace

Result<TrustedFolder> TrustedFolder::open(const std::string &path, Missing missing) {
  Result<FileDescriptor> folder = walkTrusted(path, missing == Missing::Create);
  if (!folder)
    return folder.status().withContext("cannot use the folder " + path);
  return TrustedFolder(path, std::move(*folder));
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
  AVOCET_RETURN_IF_ERROR(requireTrustedFile(info, pathOf(name)));
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
  AVOCET_RETURN_IF_ERROR(requireTrustedFile(info, pathOf(name)));
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
        !requireTrustedFile(info, name).isOk())
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
