//===- CacheToken.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/CacheToken.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

namespace avocet::nnapi {
namespace {

/// Each item is hashed with its length before it, so that two lists of items never give the same bytes.
class Hasher {
public:
  Hasher() { crypto_hash_sha256_init(&state_); }
  void add(std::span<const uint8_t> bytes) {
    addNumber(bytes.size());
    crypto_hash_sha256_update(&state_, bytes.data(), bytes.size());
  }
  void add(const std::string &text) { add({reinterpret_cast<const uint8_t *>(text.data()), text.size()}); }
  void addNumber(uint64_t number) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const uint8_t *>(&number), sizeof(number));
  }
  hal::CacheToken take() {
    hal::CacheToken token;
    static_assert(token.size() == crypto_hash_sha256_BYTES);
    crypto_hash_sha256_final(&state_, token.data());
    return token;
  }

private:
  crypto_hash_sha256_state state_;
};

} // namespace

hal::CacheToken tokenFor(const CompilationOptions &options, const hal::IDevice &device,
                         std::span<const StepOperation> step) {
  Hasher hasher;
  hasher.add(options.cache->token);
  hasher.addNumber(step.size());
  for (const auto &[model, operation] : step) {
    hasher.addNumber(model);
    hasher.addNumber(operation);
  }
  hasher.add(device.name());
  hasher.add(device.versionString());
  hasher.addNumber(static_cast<uint64_t>(options.preference));
  hasher.addNumber(static_cast<uint64_t>(options.priority));
  std::vector<hal::TokenValuePair> hints = options.hints;
  std::ranges::sort(hints, {}, &hal::TokenValuePair::token);
  for (const hal::TokenValuePair &hint : hints) {
    hasher.addNumber(static_cast<uint64_t>(hint.token));
    hasher.add(hint.value);
  }
  return hasher.take();
}

std::string cacheFileName(const hal::CacheToken &token, bool isData, uint32_t index) {
  std::string name;
  for (uint8_t byte : token) {
    name += static_cast<char>('A' + (byte & 0xF));
    name += static_cast<char>('A' + (byte >> 4));
  }
  return fmt::format("{}{}{}", name, isData ? 2 : 1, index);
}

} // namespace avocet::nnapi
