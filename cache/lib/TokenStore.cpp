//===- TokenStore.cpp - Hashes of saved models by token ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/TokenStore.h"

#include <algorithm>

namespace avocet::cache {

Result<std::shared_ptr<TokenStore>> TokenStore::open(const std::string &directory, std::string_view generation) {
  AVOCET_ASSIGN_OR_RETURN(PrivateDirectory opened, PrivateDirectory::open(directory, generation));
  return std::shared_ptr<TokenStore>(new TokenStore(std::move(opened)));
}

Digest TokenStore::digestOf(std::span<const uint8_t> bytes) const { return cache::digestOf(directory_.key(), {bytes}); }

Digest TokenStore::codeOf(const Token &token, const Digest &digest) const {
  return cache::digestOf(directory_.key(), {token, directory_.generation(), digest});
}

Status TokenStore::put(const Token &token, const Digest &digest) {
  makeRoom();
  return directory_.write(toHex(token), {digest, codeOf(token, digest)});
}

Result<Digest> TokenStore::find(const Token &token) const {
  Digest digest, code;
  Result<std::vector<uint8_t>> entry = directory_.read(toHex(token), digest.size() + code.size());
  if (!entry || entry->size() != digest.size() + code.size())
    return notFound("no compilation is stored for the token " + toHex(token));
  std::copy_n(entry->begin(), digest.size(), digest.begin());
  std::copy_n(entry->begin() + digest.size(), code.size(), code.begin());
  if (!isEqual(code, codeOf(token, digest)))
    return notFound("the entry of the token " + toHex(token) + " is damaged or of another version");
  return digest;
}

void TokenStore::makeRoom() {
  std::lock_guard lock(room_);
  if (untilCount_ > 0) {
    --untilCount_;
    return;
  }
  untilCount_ = kCountEvery;
  if (directory_.entries().size() + kCountEvery < kMaxEntries)
    return;
  // Failure is ignored: the bound is not worth an error of put(). If the store is busy, a later put() evicts.
  (void)directory_.exclusively([this] {
    std::vector<FolderEntry> entries = directory_.oldestFirst();
    for (size_t i = 0; i + kMaxEntries * 3 / 4 < entries.size(); ++i)
      (void)directory_.remove(entries[i].name);
    return Status::ok();
  });
}

} // namespace avocet::cache
