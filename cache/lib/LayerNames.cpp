//===- LayerNames.cpp - Names of layers in columns and options --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/LayerNames.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/base/Terminal.h"

#include <algorithm>
#include <map>

namespace avocet::cache {
namespace {

/// The leading component with its slash, or empty if the name has only one.
std::string_view leadingComponent(std::string_view name) {
  size_t slash = name.find('/');
  return slash == std::string_view::npos ? "" : name.substr(0, slash + 1);
}

/// The leading component of at least half of the names, or empty.
std::string_view sharedComponent(const std::vector<std::string_view> &names) {
  std::map<std::string_view, size_t> counts;
  for (std::string_view name : names)
    ++counts[leadingComponent(name)];
  counts.erase("");
  auto most = std::ranges::max_element(counts, {}, [](const auto &entry) { return entry.second; });
  return most != counts.end() && 2 * most->second >= names.size() && most->second > 1 ? most->first : "";
}

/// Ends of the first component, of the first two, and so on.
std::vector<size_t> componentEnds(std::string_view name) {
  std::vector<size_t> ends;
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1))
    ends.push_back(slash);
  ends.push_back(name.size());
  return ends;
}

/// How many of the names begin with the same components, for all beginnings.
std::map<std::string_view, size_t> countBeginnings(const std::vector<std::string_view> &names) {
  std::map<std::string_view, size_t> counts;
  for (const std::string_view name : names)
    for (const size_t end : componentEnds(name))
      ++counts[name.substr(0, end)];
  return counts;
}

/// The leading components that have room, at least those that no other name begins with.
std::string_view withoutTail(std::string_view name, const std::map<std::string_view, size_t> &counts, size_t width) {
  std::string_view kept;
  for (const size_t end : componentEnds(name)) {
    const std::string_view longer = name.substr(0, end);
    if (!kept.empty() && counts.at(kept) == 1 && displayWidth(longer) > width)
      break;
    kept = longer;
  }
  return kept;
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
  std::vector<std::string_view> rests;
  for (std::string_view name : names)
    rests.push_back(name.substr(0, name.find(';')));
  for (std::string shared(sharedComponent(rests)); !shared.empty(); shared = sharedComponent(rests))
    for (std::string_view &rest : rests)
      if (rest.starts_with(shared))
        rest.remove_prefix(shared.size());
  const std::map<std::string_view, size_t> counts = countBeginnings(rests);
  std::vector<std::string> shortened;
  for (const std::string_view rest : rests)
    keepEnd(shortened.emplace_back(withoutTail(rest, counts, width)), width);
  return shortened;
}

std::vector<std::string> layerNames(const ModelCache &model, size_t width) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < model.numLayers(); ++i)
    names.emplace_back(model.layer(i).name);
  return shortenNames(std::move(names), width);
}

std::vector<uint32_t> findLayers(const ModelCache &model, std::string_view text) {
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

} // namespace avocet::cache
