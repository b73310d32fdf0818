//===- DramTraffic.cpp - Off-chip bytes of a run by their meaning *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DramTraffic.h"

#include "commands/CommandStreams.h"

#include <algorithm>

namespace avocet::tool {
namespace {

/// Different bytes of a region that the streams access.
uint64_t distinctBytes(const cache::ModelCache &model, uint32_t region) {
  std::vector<firmware::ByteRange> ranges;
  CommandStreams(model).forEach([&](const CommandPlace &, const firmware::Command &command) {
    if (std::holds_alternative<firmware::DmaCommand>(command.body)) // the others work on chip
      appendRanges(command.body, region, ranges);
  });
  return unionBytes(ranges);
}

void addRegion(const cache::ModelCache &model, const firmware::RegionTraffic &traffic, DramTraffic &parts) {
  const uint64_t bytes = traffic.readBytes + traffic.writeBytes;
  switch (model.region(traffic.region - 1).kind) {
  case cache::RegionKind::Input:
    parts.inputs += bytes;
    return;
  case cache::RegionKind::Output:
    parts.outputs += bytes;
    return;
  case cache::RegionKind::Constants: {
    const uint64_t once = std::min(bytes, distinctBytes(model, traffic.region));
    parts.weights += once;
    parts.refetchedWeights += bytes - once;
    return;
  }
  case cache::RegionKind::Scratch:
    parts.spills += bytes;
    return;
  }
}

} // namespace

DramTraffic dramTraffic(const cache::ModelCache &model, const firmware::JobProfile &profile) {
  DramTraffic parts;
  for (const firmware::RegionTraffic &traffic : profile.regions)
    if (traffic.region != firmware::kSramRegion && traffic.region <= model.numRegions())
      addRegion(model, traffic, parts);
  return parts;
}

void appendRanges(const firmware::CommandBody &command, uint32_t region, std::vector<firmware::ByteRange> &ranges) {
  const size_t first = ranges.size();
  firmware::appendFootprint(command, ranges);
  auto isElsewhere = [region](const firmware::ByteRange &range) { return range.region != region; };
  ranges.erase(std::remove_if(ranges.begin() + static_cast<ptrdiff_t>(first), ranges.end(), isElsewhere), ranges.end());
}

uint64_t unionBytes(std::vector<firmware::ByteRange> &ranges) {
  std::ranges::sort(ranges, {}, &firmware::ByteRange::begin);
  uint64_t bytes = 0, covered = 0;
  for (const firmware::ByteRange &range : ranges) {
    const uint64_t begin = std::max(range.begin, covered);
    if (range.end > begin)
      bytes += range.end - begin;
    covered = std::max(covered, range.end);
  }
  return bytes;
}

} // namespace avocet::tool
