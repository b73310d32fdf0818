//===- CommandTraffic.cpp - Bytes that each command moved -*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/CommandTraffic.h"

#include "avocet/firmware_iface/Footprint.h"

#include <map>

namespace avocet::analysis {
namespace {

/// The bytes that a command touches, by way. Of a transfer those that it moves: its range may have gaps.
WayBytes touchedBytes(const firmware::Command &command) {
  const auto *dma = std::get_if<firmware::DmaCommand>(&command.body);
  std::vector<firmware::ByteRange> ranges;
  firmware::appendFootprint(command.body, ranges);
  WayBytes bytes{};
  for (const firmware::ByteRange &range : ranges) {
    const Way way = range.region == firmware::kSramRegion ? SramPort : range.write ? DramWrite : DramRead;
    bytes[way] += static_cast<double>(dma ? movedBytes(*dma) : range.end - range.begin);
  }
  return bytes;
}

WayBytes countedBytes(const firmware::LayerCounters &layer) {
  return {static_cast<double>(layer.sramReadBytes + layer.sramWriteBytes), static_cast<double>(layer.dramReadBytes),
          static_cast<double>(layer.dramWriteBytes)};
}

/// What the device counted for a layer, and what its commands touch. The bytes of a transfer are known, those of other
/// commands are estimated: an engine reads rows and weights again for each block.
class LayerShare {
public:
  void add(const WayBytes &bytes, bool isTransfer) { sum(isTransfer ? transfers_ : others_, bytes); }
  void count(const WayBytes &bytes) { sum(counted_, bytes); }

  WayBytes partOf(WayBytes bytes, bool isTransfer) const {
    for (size_t way = 0; way < kNumWays; ++way)
      bytes[way] *= factor(way, isTransfer);
    return bytes;
  }

private:
  static void sum(WayBytes &sums, const WayBytes &bytes) {
    for (size_t way = 0; way < kNumWays; ++way)
      sums[way] += bytes[way];
  }

  double factor(size_t way, bool isTransfer) const {
    const double rest = counted_[way] - transfers_[way];
    if (others_[way] > 0 && rest > 0)
      return isTransfer ? 1 : rest / others_[way];
    const double all = transfers_[way] + others_[way];
    return all > 0 ? counted_[way] / all : 0;
  }

  WayBytes counted_{}, transfers_{}, others_{};
};

bool isTransfer(const firmware::CommandSpan &span) { return span.engine.kind == firmware::EngineKind::Dma; }

} // namespace

uint64_t movedBytes(const firmware::DmaCommand &dma) {
  return uint64_t{dma.runBytes} * dma.count0 * dma.count1 * dma.count2;
}

std::vector<WayBytes> commandTraffic(const CommandStreams &streams, const firmware::JobProfile &profile) {
  std::vector<WayBytes> moved;
  std::map<uint32_t, LayerShare> layers;
  for (const firmware::CommandSpan &span : profile.spans) {
    const auto place = streams.placeOf(span, profile);
    moved.push_back(place ? touchedBytes(streams.command(*place)) : WayBytes{});
    layers[span.layer].add(moved.back(), isTransfer(span));
  }
  for (const firmware::LayerCounters &layer : profile.layers)
    layers[layer.layer].count(countedBytes(layer));
  for (size_t i = 0; i < moved.size(); ++i)
    moved[i] = layers[profile.spans[i].layer].partOf(moved[i], isTransfer(profile.spans[i]));
  return moved;
}

} // namespace avocet::analysis
