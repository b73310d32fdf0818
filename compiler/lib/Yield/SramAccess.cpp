//===- SramAccess.cpp - SRAM bytes that a command accesses ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SramAccess.h"

#include "avocet/firmware_iface/Footprint.h"

namespace avocet::compiler {

using namespace firmware;

namespace {

/// Whether the rows of a map are contiguous, so that its footprint has no gaps.
bool isDense(const FeatureMap &map) {
  const uint64_t pixel = uint64_t{map.channels} * sizeOf(map.type), row = uint64_t{map.width} * pixel;
  return (map.width == 1 || map.pixelStride == pixel) && (map.height == 1 || map.rowStride == row);
}

/// Whether a box contains all bytes between its first and last one.
bool isDense(const DmaCommand &dma, const DmaEnd &end) {
  uint64_t bytes = dma.runBytes;
  const uint32_t counts[] = {dma.count0, dma.count1, dma.count2}, strides[] = {end.stride0, end.stride1, end.stride2};
  for (int level = 0; level < 3; ++level) {
    if (counts[level] != 1 && strides[level] != bytes)
      return false;
    bytes *= counts[level];
  }
  return true;
}

struct WritesAll {
  bool operator()(const DmaCommand &dma) const { return isDense(dma, dma.destination); }
  bool operator()(const DspCommand &) const { return false; }
  template <typename T> bool operator()(const T &command) const {
    if constexpr (requires { command.output; })
      return isDense(command.output);
    return false;
  }
};

} // namespace

SramAccess sramAccessOf(const CommandBody &command) {
  std::vector<ByteRange> ranges;
  appendFootprint(command, ranges);
  const bool updates = std::holds_alternative<DspCommand>(command);
  SramAccess access;
  access.isExact = std::visit(WritesAll{}, command);
  for (const ByteRange &range : ranges) {
    if (range.region != kSramRegion || range.begin >= range.end)
      continue;
    if (range.write)
      access.writes.push_back({range.begin, range.end});
    if (!range.write || updates)
      access.reads.push_back({range.begin, range.end});
  }
  return access;
}

} // namespace avocet::compiler
