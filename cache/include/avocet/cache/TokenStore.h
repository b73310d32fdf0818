//===- TokenStore.h - What was saved under which token -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's private memory of the model caches that it wrote into its clients' files: token -> hash. A model cache
// that comes back is used only if its hash is the one that is written here, so that nobody can make the device run
// commands which this driver did not write. Every entry carries a code over token, generation and hash: a damaged entry
// is none.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_TOKENSTORE_H
#define AVOCET_CACHE_TOKENSTORE_H

#include "avocet/cache/PrivateDirectory.h"

#include <memory>
#include <mutex>

namespace avocet::cache {

/// 32 bytes that the client chose; equal tokens are taken for equal compilations.
using Token = std::array<uint8_t, 32>;

/// Thread-safe; several processes may have one directory open.
class TokenStore {
public:
  /// Entries beyond this many push out those written longest ago. Several processes, or
  /// threads that keep the store busy, may have some more for a while.
  static constexpr size_t kMaxEntries = 4096;

  /// Opens or creates the store; it is emptied when `generation` (driver version, format versions, target) is another
  /// than last time. Errors: see PrivateDirectory.
  static Result<std::shared_ptr<TokenStore>> open(const std::string &directory, std::string_view generation);

  /// The hash under which bytes are stored, keyed with the store's secret.
  Digest digestOf(std::span<const uint8_t> bytes) const;

  /// Remembers the hash, in place of an older one. It lasts over crashes from the return on.
  Status put(const Token &token, const Digest &digest);

  /// NotFound: no entry, or one that is damaged or of another generation.
  Result<Digest> find(const Token &token) const;

  /// Forgets the token; success if there was none.
  Status remove(const Token &token);

  size_t size() const { return directory_.entries().size(); }

private:
  explicit TokenStore(PrivateDirectory directory) : directory_(std::move(directory)) {}
  Digest codeOf(const Token &token, const Digest &digest) const;
  void makeRoom();

  /// How many entries are stored between two counts.
  static constexpr size_t kCountEvery = 32;

  PrivateDirectory directory_;
  std::mutex room_; ///< guards untilCount_; held while room is made, so that the threads of a process take turns
  size_t untilCount_ = 0;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_TOKENSTORE_H
