//===- SourceMap.cpp - From commands to the user's file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceMap.h"

#include "avocet/cache/LayerNames.h"
#include "avocet/firmware_iface/Output.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
Result<SourceMap> SourceMap::open(std::shared_ptr<const cache::ModelCache> model) {
  if (model->numSourceOperations() == 0)
    return failedPrecondition(fmt::format("the artefacts of '{}' have no source map; compile the model with "
                                          "'avocet compile MODEL -g -o DIR'",
                                          model->modelName()));
  SourceMap map(std::move(model));
  for (size_t i = 0; i < map.numStreams(); ++i)
    if (map.model_->stream(i).sources.empty())
      return failedPrecondition(fmt::format("the source map of '{}' lacks the commands of {}; compile the model again",
                                            map.modelName(), map.streamName(i)));
  return map;
}

std::vector<cache::SourceEntryView> SourceMap::operators(uint32_t layer) const {
  std::vector<cache::SourceEntryView> result;
  for (size_t i = 0; i < model_->numSourceEntries(); ++i)
    if (const cache::SourceEntryView entry = model_->sourceEntry(i); entry.layer == layer)
      result.push_back(entry);
  return result;
}

bool SourceMap::isTile(const analysis::CommandPlace &place) const {
  return firstOutput(command(place).body) && source(place).operation != cache::kNoSource;
}

std::optional<ElementPlace> SourceMap::elementAt(const analysis::CommandPlace &tile, uint64_t address) const {
  const firmware::FeatureMap &map = *firstOutput(command(tile).body);
  if (address < map.address.offset || !map.rowStride || !map.pixelStride || !map.ringRows)
    return std::nullopt;
  const uint64_t bytes = address - map.address.offset;
  const uint64_t ringRow = bytes / map.rowStride, inRow = bytes % map.rowStride;
  const uint64_t row = (ringRow + map.ringRows - map.firstRow) % map.ringRows;
  const uint64_t column = inRow / map.pixelStride;
  const uint64_t channel = inRow % map.pixelStride / firmware::sizeOf(map.type);
  if (ringRow >= map.ringRows || row >= map.height || column >= map.width || channel >= map.channels)
    return std::nullopt;
  const cache::SourceCommand &from = source(tile);
  return ElementPlace{from.row + static_cast<uint32_t>(row), from.column + static_cast<uint32_t>(column),
                      from.channel + static_cast<uint32_t>(channel)};
}

std::vector<size_t> SourceMap::entriesAt(uint32_t region, uint64_t address) const {
  std::vector<size_t> entries;
  for (size_t i = 0; i < model_->numMemoryEntries(); ++i) {
    const cache::MemoryEntryView entry = model_->memoryEntry(i);
    if (entry.region == region && entry.address <= address && address - entry.address < entry.bytes)
      entries.push_back(i);
  }
  return entries;
}

std::string line(std::string_view title, std::string_view text) { return labelledText(title, text); }

std::string boxText(const cache::SourceCommand &from, const firmware::FeatureMap &output) {
  auto range = [](std::string_view what, uint32_t begin, uint32_t count) {
    return count == 1 ? fmt::format("{} {}", what, begin) : fmt::format("{}s {} to {}", what, begin, begin + count - 1);
  };
  return fmt::format("{}, {}, {}", range("row", from.row, output.height), range("column", from.column, output.width),
                     range("channel", from.channel, output.channels));
}

SourceNames::SourceNames(const SourceMap &map) {
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

std::string_view roleOf(const cache::MemoryEntryView &buffer) {
  switch (buffer.name.empty() ? ' ' : buffer.name.front()) {
  case 'w':
  case 'c':
  case 'k':
    return "constants";
  case 'q':
    return "operand";
  case 'a':
    return "state";
  default:
    return "result";
  }
}

std::string runText(const SourceMap &map, const analysis::CommandTimes &times, size_t run) {
  if (map.isStraight())
    return "";
  const uint32_t section = times.runs()[run].section;
  const std::vector<size_t> runs = times.runsOf(section);
  return fmt::format("run {} of {} of section {}", std::ranges::find(runs, run) - runs.begin() + 1, runs.size(),
                     section);
}

} // namespace avocet::tool
