//===- PrivateDirectory.h - A folder of the driver's own, with a key -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver's persistent stores have in common. A store is a directory that only the driver may write:
//
//   key         32 random bytes, made once; all hashes of the store are keyed with it
//   generation  hash of what artefacts depend on (driver version, format versions, target); entries of another are void
//   lock        advisory lock between processes: shared while writing entries, exclusive while emptying the store
//   *.tmp.*     a file that is being written; leftovers of killed processes go when the store is opened
//
// Entries are written beside their place, flushed, and renamed: whoever is killed at any point leaves the old entry or
// the new one. Waiting for a lock is bounded.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_PRIVATEDIRECTORY_H
#define AVOCET_CACHE_PRIVATEDIRECTORY_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::cache {

/// A keyed BLAKE2b-256 (libsodium's crypto_generichash).
using Digest = std::array<uint8_t, 32>;

/// Hash of several byte ranges one behind the other. Compare digests with isEqual(), whose time tells nothing.
Digest digestOf(const Digest &key, std::initializer_list<std::span<const uint8_t>> parts);
bool isEqual(const Digest &a, const Digest &b);

/// "00ff..", 64 characters.
std::string toHex(const std::array<uint8_t, 32> &bytes);

/// Thread-safe: the object does not change once it is open.
class PrivateDirectory {
public:
  /// Opens or creates the directory (mode 0700; its parent must exist). If its generation is another one, everything
  /// but key and lock is removed first. ResourceExhausted: another process holds the lock for too long.
  static Result<PrivateDirectory> open(const std::string &path, std::string_view generation);

  const std::string &path() const { return path_; }
  std::string pathOf(std::string_view name) const { return path_ + "/" + std::string(name); }
  const Digest &key() const { return key_; }
  const Digest &generation() const { return generation_; }

  /// Writes an entry, complete or not at all, also over a power cut. FailedPrecondition: another process has opened the
  /// directory for another generation since; nothing was written.
  Status write(std::string_view name, std::initializer_list<std::span<const uint8_t>> parts) const;

  /// Names of the entries, without key, generation, lock and temporary files, in no order.
  std::vector<std::string> entries() const;

  /// Runs `change` while no other process writes or empties the store.
  Status exclusively(const std::function<Status()> &change) const;

private:
  PrivateDirectory() = default;
  Status loadKey();
  Status enterGeneration() const;

  std::string path_;
  Digest key_ = {};
  Digest generation_ = {};
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_PRIVATEDIRECTORY_H
