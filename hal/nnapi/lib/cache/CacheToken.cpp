//===- CacheToken.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/CacheToken.h"

#include "cache/ItemHash.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {
hal::CacheToken tokenFor(const CompilationOptions &options, const hal::IDevice &device,
                         std::span<const hal::SourceOperation> step) {
  ItemHash hasher;
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
