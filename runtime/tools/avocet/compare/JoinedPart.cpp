//===- JoinedPart.cpp - A part of a concatenation ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedPart.h"

#include "StoredPieces.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/firmware_iface/Output.h"

namespace avocet::tool {
namespace {

/// The on-chip buffer to which a tile writes its result.
std::optional<cache::MemoryEntryView> bufferOf(const analysis::SourceMap &map, const analysis::CommandPlace &tile,
                                               uint64_t address) {
  const uint32_t step = map.source(tile).step;
  for (size_t index : map.entriesAt(firmware::kSramRegion, address)) {
    const cache::MemoryEntryView entry = map.model().memoryEntry(index);
    if (entry.firstStep <= step && step <= entry.lastStep && analysis::roleOf(entry) == "result")
      return entry;
  }
  return std::nullopt;
}

/// From one tile: where the operation's result begins in the tensor of the buffer.
std::optional<JoinedPart> partOfTile(const analysis::SourceMap &map, const analysis::CommandPlace &tile,
                                     uint64_t wholeBytes) {
  const firmware::FeatureMap &output = *firstOutput(map.command(tile).body);
  const cache::SourceCommand &source = map.source(tile);
  const cache::SourceOperationView operation = map.model().sourceOperation(source.operation);
  const uint64_t element = firmware::sizeOf(output.type);
  const auto buffer = bufferOf(map, tile, output.address.offset);
  if (!buffer || output.pixelStride == 0 || output.rowStride == 0 || wholeBytes % output.rowStride != 0)
    return std::nullopt;
  const uint64_t bytes = output.address.offset - buffer->address;
  const uint64_t rows = wholeBytes / output.rowStride, inRow = bytes % output.rowStride;
  const bool hasAllRows = rows == operation.height;
  if (!hasAllRows && buffer->bytes < wholeBytes) // a tensor of its own, on the way to the other one
    return std::nullopt;
  JoinedPart part;
  part.width = static_cast<uint32_t>(output.rowStride / output.pixelStride);
  part.channels = static_cast<uint32_t>(output.pixelStride / element);
  const uint64_t row = hasAllRows ? source.row : bytes / output.rowStride + output.firstRow;
  const uint64_t column = inRow / output.pixelStride, channel = inRow % output.pixelStride / element;
  if (row < source.row || column < source.column || channel < source.channel)
    return std::nullopt;
  part.begin = {static_cast<uint32_t>(row - source.row), static_cast<uint32_t>(column - source.column),
                static_cast<uint32_t>(channel - source.channel)};
  const bool fits = part.begin.row + uint64_t{operation.height} <= rows &&
                    part.begin.column + uint64_t{operation.width} <= part.width &&
                    part.begin.channel + uint64_t{operation.channels} <= part.channels;
  return fits && rows * part.width * part.channels * element == wholeBytes ? std::optional(part) : std::nullopt;
}

} // namespace

std::optional<JoinedPart> joinedPartOf(const analysis::SourceMap &map, uint32_t operation, uint64_t wholeBytes) {
  std::optional<JoinedPart> found;
  bool agree = true;
  map.forEach([&](const analysis::CommandPlace &place, const firmware::Command &) {
    if (!agree || !map.isTile(place) || map.source(place).operation != operation)
      return;
    const auto part = isBoxOfResult(map, place) ? partOfTile(map, place, wholeBytes) : std::nullopt;
    agree = part && (!found || *part == *found);
    found = part;
  });
  return agree ? found : std::nullopt;
}

std::vector<uint8_t> bytesOfPart(const JoinedPart &part, const cache::SourceOperationView &operation,
                                 std::span<const uint8_t> whole) {
  const uint64_t element = firmware::sizeOf(operation.type), run = operation.channels * element;
  std::vector<uint8_t> bytes;
  for (uint64_t y = 0; y < operation.height; ++y)
    for (uint64_t x = 0; x < operation.width; ++x) {
      const uint64_t pixel = (part.begin.row + y) * part.width + part.begin.column + x;
      const auto from = whole.subspan((pixel * part.channels + part.begin.channel) * element, run);
      bytes.insert(bytes.end(), from.begin(), from.end());
    }
  return bytes;
}

} // namespace avocet::tool
