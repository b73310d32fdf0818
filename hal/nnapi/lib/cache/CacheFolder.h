//===- CacheFolder.h - Cache files of an application ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CACHE_CACHEFOLDER_H
#define AVOCET_HAL_NNAPI_LIB_CACHE_CACHEFOLDER_H

#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Types.h"
#include "compilation/CompilationOptions.h"

#include <cstdint>
#include <optional>
#include <sodium.h>
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

/// The token of a part of a model on a device: the SHA-256 of everything that changes what is compiled, the
/// application's token among it. `step`: empty for a whole model.
hal::CacheToken tokenFor(const CompilationOptions &options, const hal::IDevice &device,
                         std::span<const hal::SourceOperation> step);

/// The name of a cache file: two letters for each byte of the token, '1' (model) or '2' (data), and the index.
std::string cacheFileName(const hal::CacheToken &token, bool isData, uint32_t index);

/// Existing: only files that are there, to be read. Created: also new ones, to be written.
enum class CacheAccess { Existing, Created };

/// Opens the files of a token in the application's folder, as many as a device needs. Empty: one is missing, is no
/// regular file, or another process uses it; the model is then compiled without a cache. Locks the files until the
/// descriptors are closed, so that no process reads what another one writes. Files that the application has opened
/// itself are returned as they are.
std::optional<hal::CacheFiles> openCacheFiles(const CachePlace &place, const hal::CacheToken &token,
                                              const hal::NumberOfCacheFiles &needed, CacheAccess access);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CACHE_CACHEFOLDER_H
