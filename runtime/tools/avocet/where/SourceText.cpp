//===- SourceText.cpp - Places in the user's file as text -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/cache/LayerNames.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {

std::string line(std::string_view title, std::string_view text) { return labeledText(title, text); }

std::string boxText(const cache::SourceCommand &from, const firmware::FeatureMap &output) {
  auto range = [](std::string_view what, uint32_t begin, uint32_t count) {
    return count == 1 ? fmt::format("{} {}", what, begin) : fmt::format("{}s {} to {}", what, begin, begin + count - 1);
  };
  return fmt::format("{}, {}, {}", range("row", from.row, output.height), range("column", from.column, output.width),
                     range("channel", from.channel, output.channels));
}

SourceNames::SourceNames(const analysis::SourceMap &map) {
  const cache::ModelCache &model = map.model();
  std::vector<std::string> names;
  for (size_t i = 0; i < model.numLayers(); ++i)
    names.emplace_back(model.layer(i).name);
  for (size_t i = 0; i < model.numSourceOperations(); ++i)
    names.emplace_back(model.sourceOperation(i).name);
  constexpr size_t kWidth = 48;
  names = cache::shortenNames(std::move(names), kWidth);
  const auto middle = names.begin() + static_cast<ptrdiff_t>(model.numLayers());
  layers_.assign(names.begin(), middle);
  operations_.assign(middle, names.end());
}

std::string operatorText(const cache::SourceEntryView &entry) {
  std::string text;
  if (entry.operation != cache::kNoSource)
    text += fmt::format("{} ", entry.operation);
  if (!entry.kind.empty())
    text += fmt::format("{} ", entry.kind);
  // The converter of TensorFlow Lite joins the names of everything that it has fused.
  return text + std::string(entry.location.substr(0, entry.location.find(';')));
}

std::string runText(const analysis::SourceMap &map, const analysis::CommandTimes &times, size_t run) {
  if (map.isStraight())
    return "";
  const uint32_t section = times.runs()[run].section;
  const std::vector<size_t> runs = times.runsOf(section);
  return fmt::format("run {} of {} of section {}", std::ranges::find(runs, run) - runs.begin() + 1, runs.size(),
                     section);
}

} // namespace avocet::tool
