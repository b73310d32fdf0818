//===- PrivateDirectory.cpp - A folder of the driver's own, with a key -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/PrivateDirectory.h"

#include "FileLock.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::cache {
namespace {

constexpr std::string_view kKeyName = "key";
constexpr std::string_view kGenerationName = "generation";
constexpr std::string_view kLockName = "lock";
constexpr std::string_view kTemporaryMark = ".tmp.";

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

bool isEntry(std::string_view name) {
  return name != kKeyName && name != kGenerationName && name != kLockName &&
         name.find(kTemporaryMark) == std::string_view::npos;
}

std::vector<std::string> filesIn(const std::string &path) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(path, error); entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    if (error)
      break;
    names.push_back(entry->path().filename().string());
  }
  return names;
}

/// Makes a rename last over a power cut.
Status flushDirectory(const std::string &path) {
  FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.isValid() || ::fsync(directory.get()) != 0)
    return errnoStatus(errno, "cannot flush the folder " + path);
  return Status::ok();
}

Status writeParts(int fd, std::initializer_list<std::span<const uint8_t>> parts, const std::string &path) {
  for (std::span<const uint8_t> part : parts)
    while (!part.empty()) {
      ssize_t written = ::write(fd, part.data(), part.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return errnoStatus(errno, "cannot write " + path);
      part = part.subspan(static_cast<size_t>(written));
    }
  return ::fsync(fd) == 0 ? Status::ok() : errnoStatus(errno, "cannot flush " + path);
}

/// Writes beside `path`, then renames.
Status replaceFile(const std::string &path, std::initializer_list<std::span<const uint8_t>> parts) {
  std::string temporary = path + std::string(kTemporaryMark) + "XXXXXX";
  FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.isValid())
    return errnoStatus(errno, "cannot create a file beside " + path);
  Status status = writeParts(file.get(), parts, path);
  if (status.isOk() && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = errnoStatus(errno, "cannot create " + path);
  if (!status.isOk())
    ::unlink(temporary.c_str());
  return status.isOk() ? flushDirectory(std::filesystem::path(path).parent_path().string()) : status;
}

Result<Digest> readDigest(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path, sizeof(Digest)));
  if (bytes.size() != sizeof(Digest))
    return dataLoss(fmt::format("{}: is {} bytes long, must be {}", path, bytes.size(), sizeof(Digest)));
  Digest digest;
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

} // namespace

Digest digestOf(const Digest &key, std::initializer_list<std::span<const uint8_t>> parts) {
  crypto_generichash_state state;
  Digest digest;
  crypto_generichash_init(&state, key.data(), key.size(), digest.size());
  for (std::span<const uint8_t> part : parts)
    crypto_generichash_update(&state, part.data(), part.size());
  crypto_generichash_final(&state, digest.data(), digest.size());
  return digest;
}

bool isEqual(const Digest &a, const Digest &b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

std::string toHex(const std::array<uint8_t, 32> &bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

Result<PrivateDirectory> PrivateDirectory::open(const std::string &path, std::string_view generation) {
  if (sodium_init() < 0)
    return internalError("libsodium cannot be initialised");
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return errnoStatus(errno, "cannot create the folder " + path);
  PrivateDirectory directory;
  directory.path_ = path;
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, FileLock::acquire(directory.pathOf(kLockName), FileLock::Kind::Exclusive));
  AVOCET_RETURN_IF_ERROR(directory.loadKey());
  directory.generation_ = digestOf(directory.key_, {bytesOf(generation)});
  AVOCET_RETURN_IF_ERROR(directory.enterGeneration());
  return directory;
}

Status PrivateDirectory::loadKey() {
  std::string path = pathOf(kKeyName);
  Result<Digest> key = readDigest(path);
  if (key) {
    key_ = *key;
    return Status::ok();
  }
  // Without its key nothing in the store can be checked: a lost or damaged key empties it.
  randombytes_buf(key_.data(), key_.size());
  return replaceFile(path, {key_});
}

Status PrivateDirectory::enterGeneration() const {
  Result<Digest> found = readDigest(pathOf(kGenerationName));
  bool same = found && isEqual(*found, generation_);
  for (const std::string &name : filesIn(path_)) {
    bool leftover = name.find(kTemporaryMark) != std::string::npos;
    if (leftover || (!same && isEntry(name)))
      ::unlink(pathOf(name).c_str());
  }
  return same ? Status::ok() : replaceFile(pathOf(kGenerationName), {generation_});
}

Status PrivateDirectory::write(std::string_view name, std::initializer_list<std::span<const uint8_t>> parts) const {
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, FileLock::acquire(pathOf(kLockName), FileLock::Kind::Shared));
  Result<Digest> current = readDigest(pathOf(kGenerationName));
  if (!current || !isEqual(*current, generation_))
    return failedPrecondition(path_ + ": belongs to another version of the driver now");
  return replaceFile(pathOf(name), parts);
}

std::vector<std::string> PrivateDirectory::entries() const {
  std::vector<std::string> names = filesIn(path_);
  std::erase_if(names, [](const std::string &name) { return !isEntry(name); });
  return names;
}

Status PrivateDirectory::exclusively(const std::function<Status()> &change) const {
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, FileLock::acquire(pathOf(kLockName), FileLock::Kind::Exclusive));
  return change();
}

} // namespace avocet::cache
