//===- SavedSram.cpp - On-chip memory of jobs that are suspended -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/SavedSram.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <cstring>

namespace avocet::sim {

using namespace firmware;

SavedSram::SavedSram(ByteSet live, std::span<const uint8_t> sram, bool data)
    : live_(std::move(live)), resident_(live_) {
  if (!data)
    return;
  data_.reserve(live_.bytes());
  for (const auto &[begin, end] : live_.ranges())
    data_.insert(data_.end(), sram.begin() + static_cast<ptrdiff_t>(begin), sram.begin() + static_cast<ptrdiff_t>(end));
}

void SavedSram::copyBack(std::span<uint8_t> sram) const {
  if (data_.empty())
    return;
  const uint8_t *from = data_.data();
  for (const auto &[begin, end] : live_.ranges()) {
    std::memcpy(sram.data() + begin, from, end - begin);
    from += end - begin;
  }
}

ByteRange SavedSram::extent() const {
  const ByteSet::Ranges &ranges = live_.ranges();
  return ranges.empty() ? ByteRange{} : ByteRange{kSramRegion, ranges.begin()->first, ranges.rbegin()->second};
}

uint64_t SavedSram::evacuate(uint64_t begin, uint64_t end, uint64_t most, uint64_t burst, ByteSet &moved) {
  uint64_t bytes = 0;
  for (auto piece = resident_.firstIn(begin, end); piece && most != 0; piece = resident_.firstIn(begin, end)) {
    const uint64_t first = piece->first, last = std::min(piece->second, first + most);
    resident_.take(first, last, [](uint64_t, uint64_t) {});
    evacuated_.add(first, last);
    moved.add(first, last);
    most -= last - first;
    evacuatedBytes_ += last - first;
    bytes += roundUp(last - first, burst);
  }
  return bytes;
}

SavedSram::Range SavedSram::bringBack(uint64_t most) {
  const auto [begin, end] = *evacuated_.ranges().begin();
  const Range range{begin, std::min(end, begin + most)};
  evacuated_.take(range.begin, range.end, [&](uint64_t first, uint64_t last) { resident_.add(first, last); });
  return range;
}

bool Evacuation::isFree(const std::vector<ByteRange> &ranges) const {
  for (const ByteRange &range : ranges)
    for (const auto &saved : saved_)
      if (range.region == kSramRegion && !saved->isFree(range.begin, range.end))
        return false;
  return true;
}

uint64_t Evacuation::clear(uint64_t begin, uint64_t end, uint64_t most) {
  uint64_t bytes = 0;
  for (const auto &saved : saved_)
    bytes += saved->evacuate(begin, end, most, target_.dram().burstBytes, moving_);
  return bytes;
}

uint64_t Evacuation::makeRoom(const std::vector<ByteRange> &ranges, uint64_t now, BandwidthCalendar &sramPort,
                              BandwidthCalendar &dramPort) {
  if (movedAt_ <= now)
    moving_ = {};
  const uint64_t most = kPieceQuanta * dramPort.quantumBytes();
  bool isInTheWay = false;
  uint64_t bytes = 0;
  for (const ByteRange &range : ranges) {
    if (range.region != kSramRegion)
      continue;
    isInTheWay |= moving_.firstIn(range.begin, range.end).has_value();
    if (bytes < most)
      bytes += clear(range.begin, range.end, most - bytes);
  }
  if (bytes == 0)
    return isInTheWay ? movedAt_ : now;
  const uint64_t latency = target_.sram().latencyCycles;
  const uint64_t read = sramPort.reserve(now, bytes) + latency;
  movedAt_ = std::max({movedAt_, read, dramPort.reserve(now + latency, bytes)});
  return movedAt_;
}

} // namespace avocet::sim
