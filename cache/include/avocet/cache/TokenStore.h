//===- TokenStore.h - Hashes of saved models by token -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A private table of the model caches that the driver wrote into its clients' files: token -> hash. A model cache is
// loaded only if its hash is in this table, so that a client cannot make the device run commands that this driver did
// not write. Every entry carries a code over token, generation and hash: a damaged entry counts as missing.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_TOKENSTORE_H
#define AVOCET_CACHE_TOKENSTORE_H

#include "avocet/cache/PrivateDirectory.h"

#include <memory>
#include <mutex>

namespace avocet::cache {

/// 32 bytes that the client chose. Equal tokens stand for equal compilations.
using Token = std::array<uint8_t, 32>;

/// Thread-safe; several processes may have one directory open.
class TokenStore {
public:
  /// More entries than this evict those written longest ago. Several processes, or threads that keep the store busy,
  /// may exceed it for a while.
  static constexpr size_t kMaxEntries = 4096;

  /// Opens or creates the store, and empties it if `generation` (driver version, format versions, target) differs from
  /// the last open(). Errors: see PrivateDirectory.
  static Result<std::shared_ptr<TokenStore>> open(const std::string &directory, std::string_view generation);

  /// The hash of a model file, keyed with the store's secret.
  Digest digestOf(std::span<const uint8_t> bytes) const;

  /// Stores the hash and replaces an older one. The entry survives a crash once put() has returned.
  Status put(const Token &token, const Digest &digest);

  /// NotFound: no entry, or one that is damaged or of another generation.
  Result<Digest> find(const Token &token) const;

  size_t size() const { return directory_.entries().size(); }

private:
  explicit TokenStore(PrivateDirectory directory) : directory_(std::move(directory)) {}
  Digest codeOf(const Token &token, const Digest &digest) const;
  void makeRoom();

  /// The number of put() calls between two counts of the entries.
  static constexpr size_t kCountEvery = 32;

  PrivateDirectory directory_;
  std::mutex room_; ///< guards untilCount_; held while entries are evicted, so that one thread at a time does it
  size_t untilCount_ = 0;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_TOKENSTORE_H
