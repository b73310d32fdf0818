//===- StoredPieces.cpp - Results that are computed in pieces ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredPieces.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/firmware_iface/Output.h"

#include <cstring>
#include <set>

namespace avocet::tool {

uint64_t copyTile(const firmware::FeatureMap &tile, std::span<const uint8_t> sram, const analysis::ElementPlace &place,
                  const DenseTensor &tensor) {
  const uint64_t element = firmware::sizeOf(tile.type), run = tile.channels * element;
  for (uint64_t y = 0; y < tile.height; ++y)
    for (uint64_t x = 0; x < tile.width; ++x) {
      const uint64_t from =
          tile.address.offset + (tile.firstRow + y) % tile.ringRows * tile.rowStride + x * tile.pixelStride;
      const uint64_t pixel = (place.row + y) * tensor.width + place.column + x;
      const uint64_t to = (pixel * tensor.channels + place.channel) * element;
      if (from + run <= sram.size() && to + run <= tensor.bytes.size())
        std::memcpy(&tensor.bytes[to], &sram[from], run);
    }
  return uint64_t{tile.height} * tile.width * tile.channels;
}

namespace {

uint64_t bytesOf(const cache::SourceOperationView &operation) {
  return uint64_t{operation.height} * operation.width * operation.channels * firmware::sizeOf(operation.type);
}

/// Operations with several results are left out: the memory plan does not say which result a buffer holds.
std::set<uint32_t> operationsInPieces(const analysis::SourceMap &map) {
  std::set<uint32_t> pieces, several;
  for (size_t stream = 0; stream < map.numStreams(); ++stream)
    for (uint32_t i = 0; i < map.commands(stream).size(); ++i) {
      const analysis::CommandPlace place{stream, i};
      if (!map.isTile(place))
        continue;
      if (const auto *dsp = std::get_if<firmware::DspCommand>(&map.command(place).body); dsp && dsp->outputs.size() > 1)
        several.insert(map.source(place).operation);
      else if (!isBoxOfResult(map, place))
        pieces.insert(map.source(place).operation);
    }
  for (uint32_t operation : several)
    pieces.erase(operation);
  return pieces;
}

} // namespace

bool isBoxOfResult(const analysis::SourceMap &map, const analysis::CommandPlace &tile) {
  const cache::SourceCommand &source = map.source(tile);
  const cache::SourceOperationView operation = map.model().sourceOperation(source.operation);
  const firmware::FeatureMap &output = *firstOutput(map.command(tile).body);
  return output.type == operation.type && source.row + uint64_t{output.height} <= operation.height &&
         source.column + uint64_t{output.width} <= operation.width &&
         source.channel + uint64_t{output.channels} <= operation.channels;
}

StoredPieces::StoredPieces(const analysis::SourceMap &map) : map_(map) {
  const std::set<uint32_t> pieces = operationsInPieces(map);
  for (size_t i = 0; i < map.model().numMemoryEntries(); ++i) {
    const cache::MemoryEntryView entry = map.model().memoryEntry(i);
    if (entry.region != firmware::kSramRegion && pieces.contains(entry.operation) &&
        analysis::roleOf(entry) == "result" && entry.bytes == bytesOf(map.model().sourceOperation(entry.operation)))
      entries_.try_emplace(entry.operation, i); // of several copies the first
  }
}

std::optional<uint32_t> StoredPieces::operationOf(const analysis::CommandPlace &transfer) const {
  const auto *dma = std::get_if<firmware::DmaCommand>(&map_.command(transfer).body);
  if (!dma || dma->kind != firmware::DmaKind::Copy || dma->source.region != firmware::kSramRegion)
    return std::nullopt;
  const uint32_t step = map_.source(transfer).step;
  for (size_t index : map_.entriesAt(dma->destination.region, dma->destination.offset)) {
    const cache::MemoryEntryView entry = map_.model().memoryEntry(index);
    const auto found = entries_.find(entry.operation);
    if (found != entries_.end() && found->second == index && entry.firstStep <= step && step <= entry.lastStep)
      return entry.operation;
  }
  return std::nullopt;
}

uint64_t StoredPieces::copy(const analysis::CommandPlace &transfer, std::span<const uint8_t> sram,
                            std::span<uint8_t> result) const {
  const auto &dma = std::get<firmware::DmaCommand>(map_.command(transfer).body);
  const uint64_t begin = map_.model().memoryEntry(entries_.at(*operationOf(transfer))).address;
  uint64_t copied = 0;
  const auto placeOf = [](const firmware::DmaEnd &end, uint64_t plane, uint64_t row, uint64_t run) {
    return end.offset + plane * end.stride2 + row * end.stride1 + run * end.stride0;
  };
  for (uint64_t plane = 0; plane < dma.count2; ++plane)
    for (uint64_t row = 0; row < dma.count1; ++row)
      for (uint64_t run = 0; run < dma.count0; ++run) {
        const uint64_t from = placeOf(dma.source, plane, row, run);
        const uint64_t to = placeOf(dma.destination, plane, row, run) - begin;
        if (from + dma.runBytes > sram.size() || to + dma.runBytes > result.size())
          continue;
        std::memcpy(&result[to], &sram[from], dma.runBytes);
        copied += dma.runBytes;
      }
  return copied;
}

} // namespace avocet::tool
