//===- SpaceMap.cpp - Occupied bytes over time ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpaceMap.h"

#include <algorithm>

namespace avocet::compiler::schedule {

uint32_t SpaceMap::add(uint64_t address, uint64_t bytes, uint32_t first, uint32_t last) {
  const uint32_t id = uint32_t(entries_.size());
  entries_.push_back({address, address + bytes, first, last});
  if (buckets_.size() <= last / kBucketTime)
    buckets_.resize(last / kBucketTime + 1);
  for (uint32_t bucket = first / kBucketTime; bucket <= last / kBucketTime; ++bucket)
    buckets_[bucket].push_back(id);
  if (ends_.size() <= last / kBucketTime)
    ends_.resize(last / kBucketTime + 1);
  Ends &ends = ends_[last / kBucketTime];
  ends.blocks.insert(std::upper_bound(ends.blocks.begin(), ends.blocks.end(), last,
                                      [&](uint32_t time, uint32_t other) { return time < entries_[other].last; }),
                     id);
  ends.addresses.add({address, address + bytes});
  return id;
}

void SpaceMap::remove(uint32_t block) {
  for (uint32_t bucket = entries_[block].first / kBucketTime; bucket <= entries_[block].last / kBucketTime; ++bucket)
    std::erase(buckets_[bucket], block);
  Ends &ends = ends_[entries_[block].last / kBucketTime];
  std::erase(ends.blocks, block);
  ends.addresses.clear();
  for (uint32_t other : ends.blocks)
    ends.addresses.add({entries_[other].begin, entries_[other].end});
}

void SpaceMap::collect(uint32_t first, uint32_t last, std::vector<uint32_t> &found) const {
  const uint32_t end = std::min<uint64_t>(buckets_.size(), uint64_t(last) / kBucketTime + 1);
  for (uint32_t bucket = first / kBucketTime; bucket < end; ++bucket)
    for (uint32_t id : buckets_[bucket])
      if (entries_[id].first <= last && entries_[id].last >= first &&
          (entries_[id].first / kBucketTime == bucket || bucket == first / kBucketTime)) // each entry once
        found.push_back(id);
}

namespace {

/// The gaps between occupied ranges that have room for a number of bytes.
class Gaps {
public:
  Gaps(uint64_t capacity, uint64_t bytes, uint64_t alignment) : bytes_(bytes), alignment_(alignment) {
    addIfLarge(0, capacity);
  }

  void occupy(uint64_t begin, uint64_t end) {
    for (size_t i = 0; i < gaps_.size();) {
      const Gap gap = gaps_[i];
      if (gap.end <= begin || gap.begin >= end) {
        ++i;
        continue;
      }
      gaps_[i] = gaps_.back();
      gaps_.pop_back();
      addIfLarge(gap.begin, begin);
      addIfLarge(end, gap.end);
    }
  }

  bool isEmpty() const { return gaps_.empty(); }

  /// The address at the upper end of the smallest gap.
  uint64_t tightest() const {
    const Gap &gap = *std::min_element(gaps_.begin(), gaps_.end(), [](const Gap &a, const Gap &b) {
      return std::pair(a.end - a.begin, a.begin) < std::pair(b.end - b.begin, b.begin);
    });
    return (gap.end - bytes_) / alignment_ * alignment_;
  }

private:
  struct Gap {
    uint64_t begin, end;
  };

  void addIfLarge(uint64_t begin, uint64_t end) {
    if (end >= begin + bytes_ && (end - bytes_) / alignment_ * alignment_ >= begin)
      gaps_.push_back({begin, end});
  }

  uint64_t bytes_, alignment_;
  std::vector<Gap> gaps_;
};

} // namespace

std::optional<SpaceMap::Place> SpaceMap::earliest(uint64_t bytes, uint32_t notBefore, uint32_t first,
                                                  uint32_t last) const {
  Gaps gaps(capacity_, bytes, alignment_);
  std::vector<uint32_t> found;
  collect(first, last, found);
  for (uint32_t id : found)
    gaps.occupy(entries_[id].begin, entries_[id].end);
  if (gaps.isEmpty())
    return std::nullopt;
  // Going back in time, blocks are only added, in the order of their ends. Stops when no gap is left.
  Place best{gaps.tightest(), notBefore};
  for (size_t bucket = std::min<size_t>(ends_.size(), size_t(first) / kBucketTime + 1); bucket-- > 0;) {
    const Ends &ends = ends_[bucket];
    if ((bucket + 1) * kBucketTime <= notBefore)
      break;
    if ((bucket + 1) * kBucketTime <= first && bucket * kBucketTime >= notBefore) {
      Gaps all = gaps;
      for (const AddressRanges::Range &range : ends.addresses)
        all.occupy(range.begin, range.end);
      if (!all.isEmpty()) {
        gaps = std::move(all);
        continue;
      }
    }
    for (size_t i = ends.blocks.size(); i-- > 0;) {
      const Entry &entry = entries_[ends.blocks[i]];
      if (entry.last >= first)
        continue;
      if (entry.last < notBefore)
        break;
      best.address = gaps.tightest();
      gaps.occupy(entry.begin, entry.end);
      if (gaps.isEmpty())
        return Place{best.address, entry.last + 1};
    }
  }
  best.address = gaps.tightest();
  return best;
}

uint32_t SpaceMap::freeFrom(uint64_t begin, uint64_t end, uint32_t first) const {
  for (size_t bucket = std::min<size_t>(ends_.size(), size_t(first) / kBucketTime + 1); bucket-- > 0;) {
    const Ends &ends = ends_[bucket];
    if (!ends.addresses.overlaps({begin, end}))
      continue;
    for (size_t i = ends.blocks.size(); i-- > 0;) {
      const Entry &entry = entries_[ends.blocks[i]];
      if (entry.last < first && entry.begin < end && begin < entry.end)
        return entry.last + 1;
    }
  }
  return 0;
}

} // namespace avocet::compiler::schedule
