//===- BlobCache.h - The driver's own cache of bytes by key -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache that the driver keeps for itself, for clients that offer no cache files: any bytes under a 32-byte key, in a
// directory of bounded size. What was used longest ago goes first. Nothing that is damaged ever comes back: each blob
// carries a keyed hash over key, generation and contents.
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
  /// `maxBytes` bounds the sum of all blobs with their hashes. Emptied when `generation` is another than last time.
  static Result<std::shared_ptr<BlobCache>> open(const std::string &directory, uint64_t maxBytes,
                                                 std::string_view generation);

  /// Stores a blob in place of an older one, and makes room for it. ResourceExhausted: it is larger than a quarter of
  /// the bound, and nothing changed.
  Status put(const BlobKey &key, std::span<const uint8_t> blob);

  /// NotFound: no blob, or a damaged one (which is removed). A blob that is found counts as used now.
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
