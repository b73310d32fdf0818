//===- BandwidthCalendar.cpp - A shared port over time ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "timing/BandwidthCalendar.h"

#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::sim {

/// Every section of a job starts with so many cleared quanta: short jobs need few, long ones make it grow.
static constexpr size_t kFirstSize = 64;

BandwidthCalendar::BandwidthCalendar(firmware::Rate rate)
    : quantumBytes_(std::max<uint64_t>(1, kQuantum * rate.count / rate.cycles)), quanta_(kFirstSize) {}

/// The first quantum from this one on that is not full. A busy port has long rows of full ones, so each search shortens
/// the way of later ones.
uint64_t BandwidthCalendar::firstWithRoom(uint64_t quantum) {
  while (isKept(quantum) && at(quantum).full != 0) {
    uint64_t &full = at(quantum).full;
    if (isKept(quantum + full))
      full += at(quantum + full).full;
    quantum += full;
  }
  return quantum;
}

uint64_t BandwidthCalendar::reserve(uint64_t earliest, uint64_t bytes, uint64_t bytesPerQuantum) {
  const uint64_t limit = std::clamp<uint64_t>(bytesPerQuantum, 1, quantumBytes_);
  if (bytes == 0)
    return earliest;
  uint64_t quantum = std::max(earliest / kQuantum, first_), from = std::max(earliest, first_ * kQuantum);
  for (uint64_t inTime = ((quantum + 1) * kQuantum - from) * limit / kQuantum;; inTime = limit) {
    if (!isKept(quantum))
      grow(quantum);
    Quantum &place = at(quantum);
    if (place.full != 0) {
      quantum = firstWithRoom(quantum);
      from = quantum * kQuantum;
      continue;
    }
    const uint64_t taken = std::min({quantumBytes_ - place.used, inTime, bytes});
    place.used += taken;
    if (place.used == quantumBytes_)
      place.full = 1;
    bytes -= taken;
    if (bytes == 0)
      return from + divideUp(taken * kQuantum, limit);
    from = ++quantum * kQuantum;
  }
}

void BandwidthCalendar::forgetBefore(uint64_t quantum) {
  if (!isKept(quantum))
    std::fill(quanta_.begin(), quanta_.end(), Quantum());
  else
    for (uint64_t q = first_; q < quantum; ++q)
      at(q) = {};
  first_ = quantum;
}

void BandwidthCalendar::grow(uint64_t quantum) {
  size_t size = quanta_.size();
  while (quantum - first_ >= size)
    size *= 2;
  std::vector<Quantum> wider(size);
  for (uint64_t q = first_; isKept(q); ++q)
    wider[q & (size - 1)] = at(q);
  quanta_ = std::move(wider);
}

} // namespace avocet::sim
