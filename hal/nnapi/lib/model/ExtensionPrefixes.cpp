//===- ExtensionPrefixes.cpp - Prefixes of extensions ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ExtensionPrefixes.h"

#include "device/DeviceList.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace avocet::nnapi {
namespace {

/// Names in the order of their prefixes, which start at 1.
struct Table {
  std::mutex mutex;
  std::vector<std::string> names;
};

Table &table() {
  static auto *const kOnly = new Table;
  return *kOnly;
}

} // namespace

ApiResult<uint16_t> prefixOf(const std::string &extension) {
  if (std::ranges::none_of(DeviceList::instance().all(),
                           [&](const auto &device) { return device->supportsExtension(extension); }))
    return badData(fmt::format("no device supports the extension {}", extension));
  Table &known = table();
  std::lock_guard lock(known.mutex);
  auto place = std::ranges::find(known.names, extension);
  if (place == known.names.end()) {
    known.names.push_back(extension);
    place = std::prev(known.names.end());
  }
  return static_cast<uint16_t>(place - known.names.begin() + 1);
}

bool isKnownPrefix(uint16_t prefix) {
  Table &known = table();
  std::lock_guard lock(known.mutex);
  return prefix != 0 && prefix <= known.names.size();
}

std::vector<hal::ExtensionNameAndPrefix> knownPrefixes() {
  Table &known = table();
  std::lock_guard lock(known.mutex);
  std::vector<hal::ExtensionNameAndPrefix> prefixes;
  for (size_t i = 0; i < known.names.size(); ++i)
    prefixes.push_back({known.names[i], static_cast<uint16_t>(i + 1)});
  return prefixes;
}

} // namespace avocet::nnapi
