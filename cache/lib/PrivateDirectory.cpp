//===- PrivateDirectory.cpp - A trusted folder with a key -------*- C++ -*-===//
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
#include <tuple>
#include <vector>

#include <sys/random.h>

namespace avocet::cache {
namespace {

const std::string kKeyName = "key";
const std::string kGenerationName = "generation";
const std::string kLockName = "lock";

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// Names as toHex() gives them. Other files in the folder do not belong to the store.
bool isEntry(const FolderEntry &entry) {
  return entry.name.size() == 2 * sizeof(Digest) &&
         entry.name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<Digest> readDigest(const TrustedFolder &folder, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, folder.readFile(name, sizeof(Digest)));
  if (bytes.size() != sizeof(Digest))
    return dataLoss(
        fmt::format("{}/{}: is {} bytes long, must be {}", folder.path(), name, bytes.size(), sizeof(Digest)));
  Digest digest;
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

/// Whether a file that could not be read may be rewritten. A file of another owner stays.
bool isReplaceable(const Status &status) {
  return status.code() == StatusCode::NotFound || status.code() == StatusCode::DataLoss;
}

} // namespace

Result<Digest> randomKey() {
  Digest key;
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    return errnoStatus(errno, "cannot get random bytes for a key");
  return key;
}

/// Each range is hashed with one half of the key, and the list of these hashes and the sizes with the other half.
Digest digestOf(const Digest &key, std::span<const std::span<const uint8_t>> parts) {
  static_assert(sizeof(Digest) == 2 * crypto_shorthash_siphashx24_BYTES &&
                sizeof(Digest) == 2 * crypto_shorthash_siphashx24_KEYBYTES);
  const uint8_t *leafKey = key.data(), *rootKey = key.data() + crypto_shorthash_siphashx24_KEYBYTES;
  struct Leaf {
    std::array<uint8_t, crypto_shorthash_siphashx24_BYTES> hash;
    uint64_t size;
  };
  std::vector<Leaf> leaves(parts.size() + 1);
  for (size_t i = 0; i < parts.size(); ++i) {
    leaves[i].size = parts[i].size();
    crypto_shorthash_siphashx24(leaves[i].hash.data(), parts[i].data(), parts[i].size(), leafKey);
  }
  Digest digest;
  for (uint64_t half = 0; half < 2; ++half) {
    leaves.back() = {{}, half};
    crypto_shorthash_siphashx24(digest.data() + half * crypto_shorthash_siphashx24_BYTES,
                                reinterpret_cast<const uint8_t *>(leaves.data()), leaves.size() * sizeof(Leaf),
                                rootKey);
  }
  return digest;
}

Digest digestOf(const Digest &key, std::initializer_list<std::span<const uint8_t>> parts) {
  return digestOf(key, std::span(parts.begin(), parts.size()));
}

bool isEqual(const Digest &a, const Digest &b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

std::string toHex(const std::array<uint8_t, 32> &bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

Result<PrivateDirectory> PrivateDirectory::open(const std::string &path, std::string_view generation) {
  AVOCET_ASSIGN_OR_RETURN(TrustedFolder folder, TrustedFolder::open(path, TrustedFolder::Missing::Create));
  PrivateDirectory directory(std::move(folder));
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, FileLock::acquire(directory.folder_, kLockName, FileLock::Kind::Exclusive));
  directory.folder_.removeLeftovers();
  AVOCET_RETURN_IF_ERROR(directory.loadKey());
  directory.generation_ = digestOf(directory.key_, {bytesOf(generation)});
  AVOCET_RETURN_IF_ERROR(directory.enterGeneration());
  return directory;
}

Status PrivateDirectory::loadKey() {
  Result<Digest> key = readDigest(folder_, kKeyName);
  if (key) {
    key_ = *key;
    return Status::ok();
  }
  if (!isReplaceable(key.status()))
    return key.status();
  // Without its key no entry of the store can be checked: a lost or damaged key empties the store.
  AVOCET_ASSIGN_OR_RETURN(key_, randomKey());
  return folder_.writeFile(kKeyName, {key_});
}

Status PrivateDirectory::enterGeneration() const {
  Result<Digest> found = readDigest(folder_, kGenerationName);
  if (found && isEqual(*found, generation_))
    return Status::ok();
  if (!found && !isReplaceable(found.status()))
    return found.status();
  for (const FolderEntry &entry : entries())
    (void)remove(entry.name); // if it stays, it is ignored: it is of another generation
  return folder_.writeFile(kGenerationName, {generation_});
}

Status PrivateDirectory::write(const std::string &name, std::initializer_list<std::span<const uint8_t>> parts,
                               TrustedFolder::Durability durability) const {
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, FileLock::acquire(folder_, kLockName, FileLock::Kind::Shared));
  Result<Digest> current = readDigest(folder_, kGenerationName);
  if (!current || !isEqual(*current, generation_))
    return failedPrecondition(folder_.path() + ": belongs to another version of the driver now");
  return folder_.writeFile(name, parts, durability);
}

std::vector<FolderEntry> PrivateDirectory::entries() const {
  std::vector<FolderEntry> entries = folder_.files();
  std::erase_if(entries, [](const FolderEntry &entry) { return !isEntry(entry); });
  return entries;
}

std::vector<FolderEntry> PrivateDirectory::oldestFirst() const {
  std::vector<FolderEntry> sorted = entries();
  std::sort(sorted.begin(), sorted.end(), [](const FolderEntry &a, const FolderEntry &b) {
    return std::tie(a.nanoseconds, a.name) < std::tie(b.nanoseconds, b.name);
  });
  return sorted;
}

Status PrivateDirectory::exclusively(const std::function<Status()> &change) const {
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, FileLock::acquire(folder_, kLockName, FileLock::Kind::Exclusive));
  return change();
}

} // namespace avocet::cache
