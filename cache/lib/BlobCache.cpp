//===- BlobCache.cpp - A persistent cache of bytes by key -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/BlobCache.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::cache {

Result<std::shared_ptr<BlobCache>> BlobCache::open(const std::string &directory, uint64_t maxBytes,
                                                   std::string_view generation) {
  AVOCET_ASSIGN_OR_RETURN(PrivateDirectory opened, PrivateDirectory::open(directory, generation));
  std::shared_ptr<BlobCache> cache(new BlobCache(std::move(opened), maxBytes));
  AVOCET_RETURN_IF_ERROR(cache->makeRoom(0)); // the bound may be smaller than last time
  return cache;
}

Digest BlobCache::codeOf(const BlobKey &key, std::span<const uint8_t> blob) const {
  return digestOf(directory_.key(), {key, directory_.generation(), blob});
}

Status BlobCache::put(const BlobKey &key, std::span<const uint8_t> blob) {
  uint64_t bytes = blob.size() + sizeof(Digest);
  if (bytes > maxBytes_ / 4)
    return resourceExhausted(
        fmt::format("a blob of {} bytes is more than a quarter of the cache's {}", blob.size(), maxBytes_));
  AVOCET_RETURN_IF_ERROR(makeRoom(bytes));
  // Not flushed, which would take longer than all else: a power cut can only damage the blob, and get() removes it
  // then.
  AVOCET_RETURN_IF_ERROR(directory_.write(toHex(key), {codeOf(key, blob), blob}, TrustedFolder::Durability::Unflushed));
  return makeRoom(0); // other processes may have written at the same time
}

Result<std::vector<uint8_t>> BlobCache::get(const BlobKey &key) {
  Result<std::vector<uint8_t>> file = directory_.read(toHex(key));
  if (!file)
    return notFound("no blob " + toHex(key));
  Digest code = {};
  if (file->size() >= code.size()) {
    std::copy_n(file->begin(), code.size(), code.begin());
    file->erase(file->begin(), file->begin() + code.size());
    if (isEqual(code, codeOf(key, *file))) {
      directory_.touch(toHex(key));
      return file;
    }
  }
  (void)directory_.remove(toHex(key));
  return notFound("the blob " + toHex(key) + " was damaged and has been removed");
}

uint64_t BlobCache::bytes() const {
  uint64_t sum = 0;
  for (const FolderEntry &entry : directory_.entries())
    sum += entry.bytes;
  return sum;
}

/// Evicts until `incoming` more bytes fit.
Status BlobCache::makeRoom(uint64_t incoming) {
  if (bytes() + incoming <= maxBytes_)
    return Status::ok();
  return directory_.exclusively([&] {
    uint64_t sum = incoming + bytes();
    for (const FolderEntry &entry : directory_.oldestFirst()) {
      if (sum <= maxBytes_)
        break;
      AVOCET_RETURN_IF_ERROR(directory_.remove(entry.name));
      sum -= std::min(sum, entry.bytes);
    }
    return Status::ok();
  });
}

} // namespace avocet::cache
