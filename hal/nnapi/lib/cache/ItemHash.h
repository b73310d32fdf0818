//===- ItemHash.h - Hash of a list of items -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CACHE_ITEMHASH_H
#define AVOCET_HAL_NNAPI_LIB_CACHE_ITEMHASH_H

#include "avocet/hal/types/Types.h"

#include <sodium.h>

#include <cstdint>
#include <span>
#include <string>

namespace avocet::nnapi {

/// SHA-256 of a list of items. Each is hashed with its length before it, so that two lists never give the same bytes.
class ItemHash {
public:
  ItemHash() { crypto_hash_sha256_init(&state_); }
  void add(std::span<const uint8_t> bytes) {
    addNumber(bytes.size());
    crypto_hash_sha256_update(&state_, bytes.data(), bytes.size());
  }
  void add(const std::string &text) { add({reinterpret_cast<const uint8_t *>(text.data()), text.size()}); }
  void add(std::span<const uint32_t> numbers) {
    add({reinterpret_cast<const uint8_t *>(numbers.data()), numbers.size_bytes()});
  }
  void addNumber(uint64_t number) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const uint8_t *>(&number), sizeof(number));
  }
  /// Ends the list.
  hal::CacheToken take() {
    hal::CacheToken hash;
    static_assert(hash.size() == crypto_hash_sha256_BYTES);
    crypto_hash_sha256_final(&state_, hash.data());
    return hash;
  }

private:
  crypto_hash_sha256_state state_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CACHE_ITEMHASH_H
