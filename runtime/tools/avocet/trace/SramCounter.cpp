//===- SramCounter.cpp - Use of the SRAM over time -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceCounters.h"

#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <map>
#include <optional>

namespace avocet::tool {
namespace {

constexpr uint64_t kMostGranules = 4096;

struct Access {
  uint64_t start = 0, end = 0;  ///< cycles
  uint64_t first = 0, last = 0; ///< granules, inclusive
  bool isWrite = false;
};

/// What one granule holds.
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
      end(content);
    return changes_;
  }

private:
  /// A write after reads begins new data; writes before the first read make the same data, piece by piece.
  void use(std::optional<Content> &content, const Access &access) {
    if (content && access.isWrite && content->isRead)
      end(content);
    if (!content)
      content = Content{access.start, access.end, false};
    content->isRead |= !access.isWrite;
    content->lastUse = std::max(content->lastUse, access.end);
  }

  void end(std::optional<Content> &content) {
    if (!content)
      return;
    ++changes_[content->since];
    --changes_[content->lastUse];
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
  const uint64_t length = std::max<uint64_t>(1, (cycles + kMostWindows - 1) / kMostWindows);
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

} // namespace avocet::tool
