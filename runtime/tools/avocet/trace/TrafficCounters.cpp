//===- TrafficCounters.cpp - Use of the memory ports over time -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTraffic.h"
#include "TraceCounters.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace avocet::tool {
namespace {

class Windows {
public:
  explicit Windows(uint64_t cycles)
      : length_(std::max<uint64_t>(1, (cycles + kMostWindows - 1) / kMostWindows)), sums_(cycles / length_ + 1) {}

  uint64_t length() const { return length_; }

  /// Spreads the bytes evenly over the cycles from `start` to `end`.
  void add(uint64_t start, uint64_t end, const WayBytes &bytes) {
    end = std::max(end, start + 1);
    const double cycles = static_cast<double>(end - start);
    for (uint64_t window = start / length_; window < sums_.size() && window * length_ < end; ++window) {
      const uint64_t from = std::max(start, window * length_), to = std::min(end, (window + 1) * length_);
      for (size_t way = 0; way < kNumWays; ++way)
        sums_[window][way] += bytes[way] * static_cast<double>(to - from) / cycles;
    }
  }

  /// No port moves more than `rate` bytes in a cycle: what exceeds it waits for the next windows, and at the end it
  /// must have been earlier.
  void limit(std::initializer_list<Way> ways, double rate) {
    const double most = rate * static_cast<double>(length_);
    WayBytes waiting{};
    for (WayBytes &sums : sums_)
      limitOne(sums, waiting, ways, most);
    for (auto sums = sums_.rbegin(); sums != sums_.rend(); ++sums)
      limitOne(*sums, waiting, ways, most);
  }

  /// One sample for each window whose value differs from the one before; the last is 0, at the end.
  std::vector<CounterSample> samples(auto &&valueOf) const {
    std::vector<CounterSample> samples;
    for (uint64_t window = 0; window <= sums_.size(); ++window) {
      const double value = window < sums_.size() ? valueOf(sums_[window]) / static_cast<double>(length_) : 0;
      if (samples.empty() || samples.back().value != value)
        samples.push_back({window * length_, value});
    }
    return samples;
  }

private:
  static void limitOne(WayBytes &sums, WayBytes &waiting, std::initializer_list<Way> ways, double most) {
    double sum = 0;
    for (Way way : ways)
      sum += sums[way] += std::exchange(waiting[way], 0);
    const double share = sum > most ? most / sum : 1;
    for (Way way : ways) {
      waiting[way] = sums[way] * (1 - share);
      sums[way] *= share;
    }
  }

  uint64_t length_;
  std::vector<WayBytes> sums_;
};

Windows divideTraffic(const TracedJob &job) {
  const firmware::JobProfile &profile = job.profile();
  const std::vector<WayBytes> moved = commandTraffic(job.streams(), profile);
  Windows windows(profile.record.counters.cycles);
  for (size_t i = 0; i < moved.size(); ++i)
    windows.add(profile.spans[i].startCycle, profile.spans[i].endCycle, moved[i]);
  return windows;
}

} // namespace

std::vector<TraceCounter> trafficCounters(const TracedJob &job) {
  Windows windows = divideTraffic(job);
  const firmware::Rate &dram = job.target().dram().bandwidth;
  const double dramRate = static_cast<double>(dram.count) / static_cast<double>(dram.cycles);
  const double sramRate = job.target().sram().portBytesPerCycle;
  windows.limit({DramRead, DramWrite}, dramRate);
  windows.limit({SramPort}, sramRate);
  auto rateOf = [](Way way) { return [way](const WayBytes &bytes) { return bytes[way]; }; };
  return {{"off-chip read", "bytes/cycle", windows.samples(rateOf(DramRead))},
          {"off-chip write", "bytes/cycle", windows.samples(rateOf(DramWrite))},
          {"off-chip port use", "percent", windows.samples([&](const WayBytes &bytes) {
             return 100 * (bytes[DramRead] + bytes[DramWrite]) / dramRate;
           })},
          {"SRAM port use", "percent",
           windows.samples([&](const WayBytes &bytes) { return 100 * bytes[SramPort] / sramRate; })}};
}

} // namespace avocet::tool
