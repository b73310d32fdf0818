//===- PrivateDirectory.h - A trusted folder with a key ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of the driver's persistent stores. A store is a folder that no other user can change (see
// avocet/base/TrustedFolder.h):
//
//   key         32 random bytes, made once; all hashes of the store are keyed with it
//   generation  hash of what artefacts depend on (driver version, format versions, target); others are invalid
//   lock        advisory lock between processes: shared while writing entries, exclusive while emptying the store
//   64 hex digits   an entry
//
// Other files are never read or removed. Temporary files of killed processes are removed when the store is opened.
// Entries are written to a temporary file, flushed, and renamed: a process killed at any point leaves the old entry or
// the new one. Waiting for a lock is bounded.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_PRIVATEDIRECTORY_H
#define AVOCET_CACHE_PRIVATEDIRECTORY_H

#include "avocet/base/Status.h"
#include "avocet/base/TrustedFolder.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::cache {

/// A keyed hash of 128 bits, SipHash-2-4 (libsodium's crypto_shorthash_siphashx24), in both halves under different
/// inputs. Without the key, two inputs of one digest cannot be found; a key that others know protects nothing.
using Digest = std::array<uint8_t, 32>;

/// A new secret key. Errors: the system has no random bytes.
Result<Digest> randomKey();

/// Hash of a list of byte ranges; their boundaries matter. Compare digests with isEqual(), which takes constant time.
Digest digestOf(const Digest &key, std::initializer_list<std::span<const uint8_t>> parts);
Digest digestOf(const Digest &key, std::span<const std::span<const uint8_t>> parts);
bool isEqual(const Digest &a, const Digest &b);

/// "00ff..", 64 characters.
std::string toHex(const std::array<uint8_t, 32> &bytes);

/// Thread-safe: the object does not change once it is open.
class PrivateDirectory {
public:
  /// Opens or creates the directory (mode 0700; its parent must exist). If its generation differs, all entries are
  /// removed first. ResourceExhausted: another process holds the lock for too long. FailedPrecondition: another user
  /// can change the directory, or owns one of its files; the message states the remedy.
  static Result<PrivateDirectory> open(const std::string &path, std::string_view generation);

  const Digest &key() const { return key_; }
  const Digest &generation() const { return generation_; }

  /// Writes an entry, completely or not at all, if it is flushed also after a power cut. FailedPrecondition: another
  /// process has since opened the directory for another generation; nothing was written.
  Status write(const std::string &name, std::initializer_list<std::span<const uint8_t>> parts,
               TrustedFolder::Durability durability = TrustedFolder::Durability::Flushed) const;

  /// The whole of an entry; see TrustedFolder::readFile().
  Result<std::vector<uint8_t>> read(const std::string &name, uint64_t maxBytes = kMaxReadBytes) const {
    return folder_.readFile(name, maxBytes);
  }

  /// Removes an entry; success if there is none.
  Status remove(const std::string &name) const { return folder_.remove(name); }

  /// Marks the entry as the most recently used.
  void touch(const std::string &name) const { folder_.touch(name); }

  /// The entries, in no order.
  std::vector<FolderEntry> entries() const;

  /// The entries, those written or touched longest ago first; ties by name.
  std::vector<FolderEntry> oldestFirst() const;

  /// Runs `change` while no other process writes or empties the store.
  Status exclusively(const std::function<Status()> &change) const;

private:
  explicit PrivateDirectory(TrustedFolder folder) : folder_(std::move(folder)) {}
  Status loadKey();
  Status enterGeneration() const;

  TrustedFolder folder_;
  Digest key_ = {};
  Digest generation_ = {};
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_PRIVATEDIRECTORY_H
