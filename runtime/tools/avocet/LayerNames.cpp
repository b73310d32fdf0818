//===- LayerNames.cpp - Names of layers in columns and options --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerNames.h"

#include "TextTable.h"
#include "avocet/base/ParseNumber.h"

#include <algorithm>
#include <map>

namespace avocet::tool {
namespace {

/// The leading component with its slash, or empty if the name has only one.
std::string leadingComponent(const std::string &name) {
  size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

/// The leading component of at least half of the names, or empty.
std::string sharedComponent(const std::vector<std::string> &names) {
  std::map<std::string, size_t> counts;
  for (const std::string &name : names)
    ++counts[leadingComponent(name)];
  counts.erase("");
  auto most = std::ranges::max_element(counts, {}, [](const auto &entry) { return entry.second; });
  return most != counts.end() && 2 * most->second >= names.size() && most->second > 1 ? most->first : "";
}

void dropTail(std::string &name, size_t width) {
  for (size_t slash = name.rfind('/'); displayWidth(name) > width && slash != std::string::npos;
       slash = name.rfind('/'))
    name.resize(slash);
}

/// Keeps the end of a component that is too long, because the end has the number.
void keepEnd(std::string &name, size_t width) {
  size_t surplus = displayWidth(name);
  if (surplus <= width)
    return;
  auto begin = name.begin();
  for (surplus -= width - 1; surplus > 0; --surplus)
    begin = std::find_if(begin + 1, name.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  name = "…" + std::string(begin, name.end());
}

} // namespace

std::vector<std::string> shortenNames(std::vector<std::string> names, size_t width) {
  for (std::string &name : names)
    name.resize(std::min(name.size(), name.find(';')));
  for (std::string shared = sharedComponent(names); !shared.empty(); shared = sharedComponent(names)) {
    for (std::string &name : names) {
      if (name.starts_with(shared))
        name.erase(0, shared.size());
    }
  }
  for (std::string &name : names) {
    dropTail(name, width);
    keepEnd(name, width);
  }
  return names;
}

std::vector<uint32_t> findLayers(const cache::ModelCache &model, std::string_view text) {
  if (const auto number = parseUnsigned(text, 0, UINT32_MAX); number && *number < model.numLayers())
    return {static_cast<uint32_t>(*number)};
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < model.numLayers(); ++i) {
    const std::string_view name = model.layer(i).name;
    if (name == text)
      return {i};
    if (name.find(text) != std::string_view::npos)
      found.push_back(i);
  }
  return found;
}

} // namespace avocet::tool
