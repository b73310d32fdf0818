//===- TrafficCounters.cpp - Use of the memory ports over time -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceCounters.h"

#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace avocet::tool {
namespace {

/// Ways over which bytes move.
enum Way : size_t { SramPort, DramRead, DramWrite };
constexpr size_t kNumWays = 3;
using Bytes = std::array<double, kNumWays>;

/// The bytes that a command touches, by way.
Bytes touchedBytes(const firmware::Command &command) {
  std::vector<firmware::ByteRange> ranges;
  firmware::appendFootprint(command.body, ranges);
  Bytes bytes{};
  for (const firmware::ByteRange &range : ranges) {
    const Way way = range.region == firmware::kSramRegion ? SramPort : range.write ? DramWrite : DramRead;
    bytes[way] += static_cast<double>(range.end - range.begin);
  }
  return bytes;
}

Bytes countedBytes(const firmware::LayerCounters &layer) {
  return {static_cast<double>(layer.sramReadBytes + layer.sramWriteBytes), static_cast<double>(layer.dramReadBytes),
          static_cast<double>(layer.dramWriteBytes)};
}

class Windows {
public:
  explicit Windows(uint64_t cycles)
      : length_(std::max<uint64_t>(1, (cycles + kMostWindows - 1) / kMostWindows)), sums_(cycles / length_ + 1) {}

  uint64_t length() const { return length_; }

  /// Spreads the bytes evenly over the cycles from `start` to `end`.
  void add(uint64_t start, uint64_t end, const Bytes &bytes) {
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
    Bytes waiting{};
    for (Bytes &sums : sums_)
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
  static void limitOne(Bytes &sums, Bytes &waiting, std::initializer_list<Way> ways, double most) {
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
  std::vector<Bytes> sums_;
};

/// By layer; the last entry is that of commands without one.
size_t placeOf(uint32_t layer, size_t numLayers) { return std::min<size_t>(layer, numLayers); }

Windows divideTraffic(const TracedJob &job) {
  const size_t numLayers = job.model().numLayers();
  std::vector<Bytes> touched(numLayers + 1), counted(numLayers + 1);
  std::vector<std::pair<const firmware::CommandSpan *, Bytes>> moves;
  for (const firmware::CommandSpan &span : job.profile().spans) {
    const firmware::Command *command = job.commandOf(span);
    if (command == nullptr)
      continue;
    moves.emplace_back(&span, touchedBytes(*command));
    for (size_t way = 0; way < kNumWays; ++way)
      touched[placeOf(span.layer, numLayers)][way] += moves.back().second[way];
  }
  for (const firmware::LayerCounters &layer : job.profile().layers)
    counted[placeOf(layer.layer, numLayers)] = countedBytes(layer);
  Windows windows(job.profile().record.counters.cycles);
  for (auto &[span, bytes] : moves) {
    const size_t place = placeOf(span->layer, numLayers);
    for (size_t way = 0; way < kNumWays; ++way)
      bytes[way] *= touched[place][way] > 0 ? counted[place][way] / touched[place][way] : 0;
    windows.add(span->startCycle, span->endCycle, bytes);
  }
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
  auto rateOf = [](Way way) { return [way](const Bytes &bytes) { return bytes[way]; }; };
  return {{"off-chip read", "bytes/cycle", windows.samples(rateOf(DramRead))},
          {"off-chip write", "bytes/cycle", windows.samples(rateOf(DramWrite))},
          {"off-chip port use", "percent",
           windows.samples([&](const Bytes &bytes) { return 100 * (bytes[DramRead] + bytes[DramWrite]) / dramRate; })},
          {"SRAM port use", "percent",
           windows.samples([&](const Bytes &bytes) { return 100 * bytes[SramPort] / sramRate; })}};
}

} // namespace avocet::tool
