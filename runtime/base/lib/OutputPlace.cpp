//===- OutputPlace.cpp - Resolves the path of an output file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputPlace.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <thread>
#include <unistd.h>

namespace avocet {
namespace {

constexpr int kMaxLinks = 40; // as in the kernel
constexpr auto kReaderPatience = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::milliseconds(5);

Status refuse(const std::string &path, const std::string &reason) {
  return invalidArgument("cannot write " + path + ": " + reason);
}

const char *describe(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFSOCK:
    return "a socket";
  case S_IFBLK:
    return "a block device";
  default:
    return "no file";
  }
}

/// Opens the folder of `path` and stores the last component. `from` is where relative paths begin.
Status enterFolder(int from, const std::string &path, OutputPlace &place, const std::string &shown) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  place.name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (place.name.empty())
    return refuse(shown, path.empty() ? "the path is empty" : "it names a folder; give the name of a file");
  FileDescriptor opened(::openat(from, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.isValid())
    return errnoStatus(errno, "cannot write " + shown);
  place.folder = std::move(opened);
  return Status::ok();
}

/// Whether another user may have put the entry into a world-writable folder.
bool isPlanted(const struct stat &folder, const struct stat &entry) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  return (folder.st_mode & kShared) == kShared && entry.st_uid != ::geteuid() && entry.st_uid != folder.st_uid;
}

bool isOnProc(int folder) {
  struct statfs info;
  return ::fstatfs(folder, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

Result<std::string> readLink(const OutputPlace &place, const std::string &shown) {
  char target[4096];
  ssize_t length = ::readlinkat(place.folder.get(), place.name.c_str(), target, sizeof(target));
  if (length < 0)
    return errnoStatus(errno, "cannot write " + shown);
  return std::string(target, static_cast<size_t>(length));
}

/// Fills in the kind and the entry of the name; true for a link that is still to be followed.
Result<bool> examine(OutputPlace &place, const std::string &shown) {
  struct stat folder;
  if (::fstat(place.folder.get(), &folder) != 0)
    return errnoStatus(errno, "cannot write " + shown);
  if (::fstatat(place.folder.get(), place.name.c_str(), &place.existing, AT_SYMLINK_NOFOLLOW) != 0) {
    place.kind = OutputPlace::Kind::New;
    return errno == ENOENT ? Result<bool>(false) : errnoStatus(errno, "cannot write " + shown);
  }
  if (isPlanted(folder, place.existing))
    return refuse(shown, "it belongs to another user and lies in a folder that all users can write to; "
                         "remove it or choose another path");
  if (S_ISLNK(place.existing.st_mode)) {
    place.kind = OutputPlace::Kind::Descriptor;
    return !isOnProc(place.folder.get());
  }
  if (S_ISREG(place.existing.st_mode))
    place.kind = OutputPlace::Kind::Regular;
  else if (S_ISFIFO(place.existing.st_mode) || S_ISCHR(place.existing.st_mode))
    place.kind = OutputPlace::Kind::Stream;
  else
    return refuse(shown, std::string("it is ") + describe(place.existing.st_mode) +
                             "; regular files, FIFOs and character devices are accepted");
  return false;
}

} // namespace

Result<OutputPlace> locateOutput(const std::string &path) {
  OutputPlace place;
  AVOCET_RETURN_IF_ERROR(enterFolder(AT_FDCWD, path, place, path));
  for (int links = 0; links < kMaxLinks; ++links) {
    AVOCET_ASSIGN_OR_RETURN(bool isLink, examine(place, path));
    if (!isLink)
      return place;
    AVOCET_ASSIGN_OR_RETURN(std::string target, readLink(place, path));
    AVOCET_RETURN_IF_ERROR(enterFolder(place.folder.get(), target, place, path));
  }
  return errnoStatus(ELOOP, "cannot write " + path);
}

namespace {

/// Opens for writing. A FIFO without a reader is retried until kReaderPatience has passed, because open() could block.
FileDescriptor openPatiently(const OutputPlace &place, int flags) {
  const auto end = std::chrono::steady_clock::now() + kReaderPatience;
  while (true) {
    FileDescriptor file(::openat(place.folder.get(), place.name.c_str(), flags | O_NONBLOCK));
    if (file.isValid() || errno != ENXIO || !S_ISFIFO(place.existing.st_mode) ||
        std::chrono::steady_clock::now() >= end)
      return file;
    std::this_thread::sleep_for(kPause);
  }
}

} // namespace

Result<FileDescriptor> openInPlace(const OutputPlace &place, const std::string &path) {
  bool isDescriptor = place.kind == OutputPlace::Kind::Descriptor;
  // A redirected descriptor may be a file that already holds other output: append to it.
  int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (isDescriptor ? O_APPEND : O_NOFOLLOW);
  FileDescriptor file = openPatiently(place, flags);
  if (!file.isValid() && errno == ENXIO && S_ISFIFO(place.existing.st_mode))
    return refuse(path, "it is a FIFO that no process reads; start the reader");
  struct stat info;
  if (!file.isValid() || ::fstat(file.get(), &info) != 0 || ::fcntl(file.get(), F_SETFL, flags & O_APPEND) != 0)
    return errnoStatus(errno, "cannot write " + path);
  if (!isDescriptor && (info.st_dev != place.existing.st_dev || info.st_ino != place.existing.st_ino))
    return refuse(path, "it was replaced while it was being opened");
  return file;
}

} // namespace avocet
