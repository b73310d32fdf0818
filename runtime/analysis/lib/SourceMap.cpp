//===- SourceMap.cpp - From commands to the user's file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/SourceMap.h"

#include "avocet/firmware_iface/Output.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::analysis {
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

bool SourceMap::isTile(const CommandPlace &place) const {
  return firstOutput(command(place).body) && source(place).operation != cache::kNoSource;
}

std::optional<ElementPlace> SourceMap::elementAt(const CommandPlace &tile, uint64_t address) const {
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

} // namespace avocet::analysis
