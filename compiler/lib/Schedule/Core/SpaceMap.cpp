//===- SpaceMap.cpp - Occupied bytes over time ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpaceMap.h"

#include <algorithm>

namespace avocet::compiler::schedule {

void SpaceMap::add(uint64_t address, uint64_t bytes, uint32_t first, uint32_t last) {
  const uint32_t id = uint32_t(entries_.size());
  entries_.push_back({address, address + bytes, first, last});
  if (buckets_.size() <= last / kBucketTime)
    buckets_.resize(last / kBucketTime + 1);
  for (uint32_t bucket = first / kBucketTime; bucket <= last / kBucketTime; ++bucket)
    buckets_[bucket].push_back(id);
}

void SpaceMap::collect(uint32_t first, uint32_t last, std::vector<uint32_t> &found) const {
  const uint32_t end = std::min<uint64_t>(buckets_.size(), uint64_t(last) / kBucketTime + 1);
  for (uint32_t bucket = first / kBucketTime; bucket < end; ++bucket)
    for (uint32_t id : buckets_[bucket])
      if (entries_[id].first <= last && entries_[id].last >= first &&
          (entries_[id].first / kBucketTime == bucket || bucket == first / kBucketTime)) // each entry once
        found.push_back(id);
}

std::optional<uint64_t> SpaceMap::lowest(uint64_t bytes, uint32_t first, uint32_t last) const {
  std::vector<uint32_t> found;
  collect(first, last, found);
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) { return entries_[a].begin < entries_[b].begin; });
  uint64_t cursor = 0;
  for (uint32_t id : found) {
    uint64_t begin = (cursor + alignment_ - 1) / alignment_ * alignment_;
    if (begin + bytes <= entries_[id].begin)
      return begin;
    cursor = std::max(cursor, entries_[id].end);
  }
  cursor = (cursor + alignment_ - 1) / alignment_ * alignment_;
  return cursor + bytes <= capacity_ ? std::optional(cursor) : std::nullopt;
}

namespace {

/// Free ranges of addresses, from which occupied ranges are removed.
class FreeList {
public:
  explicit FreeList(uint64_t capacity) { gaps_.push_back({0, capacity}); }

  void remove(uint64_t begin, uint64_t end) {
    std::vector<Gap> kept;
    kept.reserve(gaps_.size() + 1);
    for (const Gap &gap : gaps_) {
      if (gap.end <= begin || gap.begin >= end) {
        kept.push_back(gap);
        continue;
      }
      if (gap.begin < begin)
        kept.push_back({gap.begin, begin});
      if (gap.end > end)
        kept.push_back({end, gap.end});
    }
    gaps_ = std::move(kept);
  }

  /// The upper end of the smallest gap of at least `bytes`.
  std::optional<uint64_t> tightest(uint64_t bytes, uint64_t alignment) const {
    std::optional<uint64_t> best;
    uint64_t bestSize = UINT64_MAX;
    for (const Gap &gap : gaps_) {
      if (gap.end < bytes)
        continue;
      uint64_t address = (gap.end - bytes) / alignment * alignment;
      if (address >= gap.begin && gap.end - gap.begin < bestSize)
        best = address, bestSize = gap.end - gap.begin;
    }
    return best;
  }

private:
  struct Gap {
    uint64_t begin, end;
  };
  std::vector<Gap> gaps_;
};

} // namespace

std::optional<SpaceMap::Place> SpaceMap::earliest(uint64_t bytes, uint32_t notBefore, uint32_t first,
                                                  uint32_t last) const {
  FreeList free(capacity_);
  std::vector<uint32_t> found;
  collect(first, last, found);
  for (uint32_t id : found)
    free.remove(entries_[id].begin, entries_[id].end);
  std::optional<uint64_t> address = free.tightest(bytes, alignment_);
  if (!address)
    return std::nullopt;
  Place best{*address, first};

  // Going back in time, blocks are only added; stop when no gap is left. Each bucket is visited by end time, latest
  // first.
  uint32_t time = first;
  while (time > notBefore) {
    const uint32_t bucketBegin = std::max(notBefore, (time - 1) / kBucketTime * kBucketTime);
    found.clear();
    collect(bucketBegin, time - 1, found);
    std::erase_if(found, [&](uint32_t id) { return entries_[id].last >= time; }); // already visited
    std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) { return entries_[a].last > entries_[b].last; });
    for (uint32_t id : found) {
      best = {*address, entries_[id].last + 1};
      free.remove(entries_[id].begin, entries_[id].end);
      address = free.tightest(bytes, alignment_);
      if (!address)
        return best;
    }
    time = bucketBegin;
    best = {*address, time};
  }
  return best;
}

} // namespace avocet::compiler::schedule
