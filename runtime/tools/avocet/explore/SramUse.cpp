//===- SramUse.cpp - How much on-chip memory a program uses --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SramUse.h"

#include <algorithm>
#include <set>
#include <vector>

namespace avocet::tool {
namespace {

/// Bytes in the union of the buffers, which ascend by address.
uint64_t unionOf(const std::multiset<std::pair<uint64_t, uint64_t>> &ranges) {
  uint64_t bytes = 0, covered = 0;
  for (const auto &[begin, end] : ranges) {
    bytes += end - std::min(end, std::max(begin, covered));
    covered = std::max(covered, end);
  }
  return bytes;
}

} // namespace

uint64_t mostUsedSramBytes(const cache::ModelCache &model) {
  std::vector<cache::MemoryEntryView> starts;
  for (size_t i = 0; i < model.numMemoryEntries(); ++i)
    if (const cache::MemoryEntryView entry = model.memoryEntry(i);
        entry.region == firmware::kSramRegion && entry.firstStep <= entry.lastStep)
      starts.push_back(entry);
  std::vector<cache::MemoryEntryView> ends = starts;
  std::ranges::sort(starts, {}, &cache::MemoryEntryView::firstStep);
  std::ranges::sort(ends, {}, &cache::MemoryEntryView::lastStep);
  const auto rangeOf = [](const cache::MemoryEntryView &entry) {
    return std::pair(entry.address, entry.address + entry.bytes);
  };
  std::multiset<std::pair<uint64_t, uint64_t>> live;
  uint64_t most = 0;
  for (size_t next = 0, ended = 0; next < starts.size();) {
    const uint32_t step = starts[next].firstStep;
    for (; ended < ends.size() && ends[ended].lastStep < step; ++ended)
      live.erase(live.find(rangeOf(ends[ended])));
    for (; next < starts.size() && starts[next].firstStep == step; ++next)
      live.insert(rangeOf(starts[next]));
    most = std::max(most, unionOf(live));
  }
  return most;
}

} // namespace avocet::tool
