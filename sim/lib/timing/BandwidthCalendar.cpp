//===- BandwidthCalendar.cpp - A shared port over time ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "timing/BandwidthCalendar.h"

#include <algorithm>

namespace avocet::sim {

/// Every section of a job starts with so many cleared quanta: short jobs need few, long ones make it grow.
static constexpr size_t kFirstSize = 64;

BandwidthCalendar::BandwidthCalendar(firmware::Rate rate)
    : quantumBytes_(std::max<uint64_t>(1, kQuantum * rate.count / rate.cycles)), used_(kFirstSize) {}

uint64_t BandwidthCalendar::reserve(uint64_t earliest, uint64_t bytes, uint64_t bytesPerQuantum) {
  const uint64_t limit = std::clamp<uint64_t>(bytesPerQuantum, 1, quantumBytes_);
  if (bytes == 0)
    return earliest;
  earliest = std::max(earliest, first_ * kQuantum);
  uint64_t end = earliest;
  for (uint64_t quantum = earliest / kQuantum, from = earliest; bytes != 0; from = ++quantum * kQuantum) {
    uint64_t &used = usedIn(quantum);
    const uint64_t inTime = ((quantum + 1) * kQuantum - from) * limit / kQuantum;
    const uint64_t taken = std::min({quantumBytes_ - used, inTime, bytes});
    if (taken == 0)
      continue;
    used += taken;
    bytes -= taken;
    end = from + (taken * kQuantum + limit - 1) / limit;
  }
  return end;
}

void BandwidthCalendar::forget(uint64_t now) {
  const uint64_t quantum = now / kQuantum;
  if (quantum <= first_)
    return;
  if (quantum - first_ >= used_.size())
    std::fill(used_.begin(), used_.end(), 0);
  else
    for (uint64_t q = first_; q < quantum; ++q)
      used_[q & (used_.size() - 1)] = 0;
  first_ = quantum;
}

uint64_t &BandwidthCalendar::usedIn(uint64_t quantum) {
  if (quantum - first_ >= used_.size())
    grow(quantum);
  return used_[quantum & (used_.size() - 1)];
}

void BandwidthCalendar::grow(uint64_t quantum) {
  size_t size = used_.size();
  while (quantum - first_ >= size)
    size *= 2;
  std::vector<uint64_t> wider(size);
  for (uint64_t q = first_; q < first_ + used_.size(); ++q)
    wider[q & (size - 1)] = used_[q & (used_.size() - 1)];
  used_ = std::move(wider);
}

} // namespace avocet::sim
