//===- TemporaryFiles.cpp - Names and owners of temporary files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFiles.h"

#include <algorithm>
#include <cerrno>
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

} // namespace avocet
