//===- TraceCounters.cpp - A job with its commands --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/TraceCounters.h"

#include "avocet/analysis/CommandTraffic.h"
#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

namespace avocet::analysis {

TracedJob::TracedJob(const firmware::JobProfile &profile, const cache::ModelCache &model,
                     const firmware::Target &target)
    : profile_(profile), model_(model), target_(target), streams_(model) {}

const firmware::Command *TracedJob::commandOf(const firmware::CommandSpan &span) const {
  const auto place = streams_.placeOf(span, profile_);
  return place ? &streams_.command(*place) : nullptr;
}

namespace {

constexpr uint64_t kMostGranules = 4096;

struct Access {
  uint64_t start = 0, end = 0;  ///< cycles
  uint64_t first = 0, last = 0; ///< granules, inclusive
  bool isWrite = false;
};

/// What one granule holds: never two contents at a time, so that the sum stays within the memory. A command that writes
/// in the place of what an earlier one still reads overlaps it in time only, not in memory.
struct Content {
  uint64_t since = 0;
  uint64_t lastUse = 0;
  bool isRead = false;
};

/// The changes of the number of live granules, by cycle.
class LiveGranules {
public:
  explicit LiveGranules(uint64_t count) : contents_(count) {}

  /// In order of start.
  void add(const Access &access) {
    for (uint64_t granule = access.first; granule <= access.last && granule < contents_.size(); ++granule)
      use(contents_[granule], access);
  }

  const std::map<uint64_t, int64_t> &finish() {
    for (std::optional<Content> &content : contents_)
      end(content, UINT64_MAX);
    return changes_;
  }

private:
  /// A write after reads begins new data; writes before the first read make the same data, piece by piece.
  void use(std::optional<Content> &content, const Access &access) {
    if (content && access.isWrite && content->isRead)
      end(content, access.start);
    if (!content)
      content = Content{access.start, access.end, false};
    content->isRead |= !access.isWrite;
    content->lastUse = std::max(content->lastUse, access.end);
  }

  /// The content ends with its last use, or when `next` begins.
  void end(std::optional<Content> &content, uint64_t next) {
    if (!content)
      return;
    ++changes_[content->since];
    --changes_[std::min(content->lastUse, next)];
    content.reset();
  }

  std::vector<std::optional<Content>> contents_;
  std::map<uint64_t, int64_t> changes_;
};

std::vector<Access> sramAccesses(const TracedJob &job, uint64_t granuleBytes) {
  std::vector<Access> accesses;
  std::vector<firmware::ByteRange> ranges;
  for (const firmware::CommandSpan &span : job.profile().spans) {
    const firmware::Command *command = job.commandOf(span);
    if (command == nullptr)
      continue;
    ranges.clear();
    firmware::appendFootprint(command->body, ranges);
    for (const firmware::ByteRange &range : ranges)
      if (range.region == firmware::kSramRegion && range.end > range.begin)
        accesses.push_back(
            {span.startCycle, span.endCycle, range.begin / granuleBytes, (range.end - 1) / granuleBytes, range.write});
  }
  // Reads first: a command that works in place reads what it then replaces.
  std::ranges::sort(accesses, {}, [](const Access &access) { return std::pair(access.start, access.isWrite); });
  return accesses;
}

/// The largest value of each window.
std::vector<CounterSample> sampled(const std::map<uint64_t, int64_t> &changes, uint64_t cycles, uint64_t granuleBytes) {
  const uint64_t length = std::max<uint64_t>(1, divideUp(cycles, kMostWindows));
  std::vector<CounterSample> samples;
  int64_t live = 0;
  auto next = changes.begin();
  for (uint64_t start = 0; start <= cycles; start += length) {
    int64_t most = live;
    for (; next != changes.end() && next->first < start + length; ++next)
      most = std::max(most, live += next->second);
    const double bytes = static_cast<double>(most) * static_cast<double>(granuleBytes);
    if (samples.empty() || samples.back().value != bytes)
      samples.push_back({start, bytes});
  }
  return samples;
}

} // namespace

TraceCounter sramCounter(const TracedJob &job) {
  const uint64_t size = job.target().sram().bytes;
  const uint64_t granuleBytes = std::max<uint64_t>(1, size / kMostGranules);
  LiveGranules live(size / granuleBytes);
  for (const Access &access : sramAccesses(job, granuleBytes))
    live.add(access);
  return {"SRAM in use", "bytes", sampled(live.finish(), job.profile().record.counters.cycles, granuleBytes)};
}

namespace {

class Windows {
public:
  explicit Windows(uint64_t cycles)
      : length_(std::max<uint64_t>(1, divideUp(cycles, kMostWindows))), sums_(cycles / length_ + 1) {}

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

} // namespace avocet::analysis
