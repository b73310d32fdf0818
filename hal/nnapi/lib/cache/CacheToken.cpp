//===- CacheToken.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/CacheToken.h"

#include "cache/ItemHash.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace avocet::nnapi {

/// By the names of the extensions, since their prefixes differ between processes.
static void addHints(ItemHash &hasher, const CompilationOptions &options) {
  std::map<std::pair<std::string, uint16_t>, std::vector<uint8_t>> values;
  for (const hal::TokenValuePair &hint : options.hints) {
    const auto prefix = static_cast<uint16_t>(static_cast<uint32_t>(hint.token) >> 16);
    for (const hal::ExtensionNameAndPrefix &extension : options.extensions)
      if (extension.prefix == prefix)
        values[{extension.name, static_cast<uint16_t>(hint.token)}] = hint.value;
  }
  for (const auto &[attribute, value] : values) {
    hasher.add(attribute.first);
    hasher.addNumber(attribute.second);
    hasher.add(value);
  }
}

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
  addHints(hasher, options);
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
