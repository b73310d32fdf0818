//===- ScratchDirectory.cpp - An empty folder for one run -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ScratchDirectory.h"

#include "avocet/base/File.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

/// In memory, if available: a device flushes its records to disk thousands of times in a run.
constexpr const char *kMemoryFolder = "/dev/shm";

constexpr std::string_view kPrefix = "avocet-scratch-";
constexpr const char *kInner = "/files";

/// The folder, locked until the descriptor is closed. Invalid: another process has the lock, or the folder is gone.
FileDescriptor lockFolder(const std::string &path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info;
  if (!folder.isValid() || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(folder.get(), &info) != 0 ||
      info.st_uid != ::geteuid() || info.st_nlink == 0)
    return {};
  return folder;
}

/// Removes the folders that killed processes of this user have left.
void removeLeftFolders(const std::filesystem::path &parent) {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(parent, error); !error && entry != end(entry);
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!entry->path().filename().string().starts_with(kPrefix))
      continue;
    std::error_code ignored;
    if (const FileDescriptor lock = lockFolder(path); lock.isValid())
      std::filesystem::remove_all(path, ignored);
  }
}

/// Empty: none can be made. Another process may remove a new folder before it is locked.
std::pair<std::string, FileDescriptor> makeFolder(const std::filesystem::path &parent) {
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = (parent / kPrefix).string() + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
      break;
    FileDescriptor lock = lockFolder(path);
    if (lock.isValid() && ::mkdir((path + kInner).c_str(), S_IRWXU) == 0)
      return {std::move(path), std::move(lock)};
  }
  return {};
}

} // namespace

ScratchDirectory::ScratchDirectory(std::string locked, FileDescriptor lock)
    : locked_(std::move(locked)), path_(locked_ + kInner), lock_(std::move(lock)) {}

Result<ScratchDirectory> ScratchDirectory::make() {
  std::error_code error;
  const std::filesystem::path other = std::filesystem::temp_directory_path(error);
  for (const std::filesystem::path &parent : {std::filesystem::path(kMemoryFolder), other}) {
    removeLeftFolders(parent);
    if (auto [path, lock] = makeFolder(parent); lock.isValid())
      return ScratchDirectory(std::move(path), std::move(lock));
  }
  return errnoStatus(errno, fmt::format("cannot make a folder in {} or {}", kMemoryFolder, other.string()));
}

void ScratchDirectory::remove() {
  std::error_code ignored; // remaining files lie in a folder of temporary files
  if (!locked_.empty())
    std::filesystem::remove_all(locked_, ignored);
  locked_.clear();
  lock_.reset();
}

} // namespace avocet
