//===- BlobCache.h - A persistent cache of bytes by key ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache that the driver keeps for clients that offer no cache files: any bytes under a 32-byte key, in a directory of
// bounded size. The least recently used blob is evicted first. Each blob carries a keyed hash over key, generation and
// contents, so that a damaged blob is never returned.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_BLOBCACHE_H
#define AVOCET_CACHE_BLOBCACHE_H

#include "avocet/cache/PrivateDirectory.h"

#include <memory>

namespace avocet::cache {

using BlobKey = std::array<uint8_t, 32>;

/// Thread-safe; several processes may have one directory open.
class BlobCache {
public:
  /// `maxBytes` bounds the sum of all blobs with their hashes. Emptied if `generation` differs from the last open().
  static Result<std::shared_ptr<BlobCache>> open(const std::string &directory, uint64_t maxBytes,
                                                 std::string_view generation);

  /// A key made of the contents of byte ranges. Another cache gives other keys: who does not know this one's secret
  /// cannot find two contents of one key.
  BlobKey keyOf(std::span<const std::span<const uint8_t>> parts) const { return digestOf(directory_.key(), parts); }

  /// Stores a blob, replaces an older one of the key, and evicts others if needed. ResourceExhausted: the blob is
  /// larger than a quarter of the bound; nothing changed.
  Status put(const BlobKey &key, std::span<const uint8_t> blob);

  /// NotFound: no blob, or a damaged one (which is removed). A hit makes the blob the most recently used.
  Result<std::vector<uint8_t>> get(const BlobKey &key);

  /// Bytes on disk now.
  uint64_t bytes() const;

private:
  BlobCache(PrivateDirectory directory, uint64_t maxBytes) : directory_(std::move(directory)), maxBytes_(maxBytes) {}
  Digest codeOf(const BlobKey &key, std::span<const uint8_t> blob) const;
  Status makeRoom(uint64_t incoming);

  PrivateDirectory directory_;
  uint64_t maxBytes_;
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_BLOBCACHE_H
