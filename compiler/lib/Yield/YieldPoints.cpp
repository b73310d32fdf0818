//===- YieldPoints.cpp - Where a job may be stopped -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "YieldPoints.h"

#include "SramAccess.h"
#include "avocet/base/ByteSet.h"
#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>
#include <map>

namespace avocet::compiler {

using namespace firmware;

uint64_t yieldBound(const Target &target) { return std::max<uint64_t>(1, target.clockHz() / 25'000); }

std::vector<uint32_t> choosePoints(std::span<const LinearCommand> list, std::span<const uint64_t> cycles,
                                   uint64_t bound) {
  std::vector<uint32_t> points;
  std::map<Engine, uint64_t> worked; ///< cycles since the last point
  for (uint32_t index = 0; index < list.size(); ++index) {
    uint64_t *since = &worked[list[index].engine];
    if (*since > 0 && *since + cycles[index] > bound) {
      points.push_back(index);
      for (auto &[engine, work] : worked)
        work = 0;
    }
    *since += cycles[index];
  }
  return points;
}

namespace {

/// Rewrites the streams one after the other.
class YieldWriter {
public:
  explicit YieldWriter(std::span<const YieldPoint> points) : points_(points), isLiveOut_(points.size(), false) {}

  std::vector<StreamCommand> rewrite(std::vector<StreamCommand> commands) {
    std::vector<StreamCommand> result;
    result.reserve(commands.size() + 8);
    size_t passed = 0; // points before the stream's next command
    for (StreamCommand &command : commands) {
      const size_t first = passed;
      while (passed < points_.size() && points_[passed].before <= command.source)
        ++passed;
      if (passed != first)
        result.push_back(yieldAt(passed - 1, command.source));
      result.push_back(std::move(command));
    }
    return result;
  }

private:
  StreamCommand yieldAt(size_t index, uint32_t source) {
    YieldCommand yield;
    yield.point = static_cast<uint32_t>(index) + 1;
    if (!isLiveOut_[index])
      yield.live = points_[index].live;
    isLiveOut_[index] = true;
    return {{kNoLayer, std::move(yield)}, source};
  }

  std::span<const YieldPoint> points_;
  std::vector<bool> isLiveOut_; ///< by point: whether a stream carries its ranges
};

} // namespace

void insertYields(SyncedStreams &section, std::span<const YieldPoint> points) {
  if (points.empty())
    return;
  YieldWriter writer(points);
  for (Stream &stream : section.streams)
    if (!isCancelled())
      stream.commands = writer.rewrite(std::move(stream.commands));
}

namespace {

/// Joins ranges over the smallest gaps between them until they are few enough.
void limitRanges(std::vector<SramRange> &ranges) {
  constexpr size_t kMost = YieldCommand::kMaxLiveRanges;
  if (ranges.size() <= kMost)
    return;
  auto gapBefore = [&](size_t i) { return ranges[i].begin - (ranges[i - 1].begin + ranges[i - 1].bytes); };
  std::vector<size_t> order;
  for (size_t i = 1; i < ranges.size(); ++i)
    order.push_back(i);
  std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(kMost - 1), order.end(),
                   [&](size_t a, size_t b) { return std::pair(gapBefore(b), a) < std::pair(gapBefore(a), b); });
  std::vector<bool> isBorder(ranges.size(), false); // the widest gaps remain
  for (size_t i = 0; i < kMost - 1; ++i)
    isBorder[order[i]] = true;
  size_t last = 0;
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (isBorder[i])
      ranges[++last] = ranges[i];
    else
      ranges[last].bytes = ranges[i].begin + ranges[i].bytes - ranges[last].begin;
  }
  ranges.resize(last + 1);
}

/// The parts of `live` that are in `written`.
std::vector<SramRange> intersect(const std::vector<SramRange> &live, const ByteSet &written) {
  std::vector<SramRange> both;
  auto next = written.ranges().begin();
  for (const SramRange &range : live) {
    const uint64_t end = uint64_t{range.begin.offset} + range.bytes;
    while (next != written.ranges().end() && next->second <= range.begin.offset)
      ++next;
    for (auto other = next; other != written.ranges().end() && other->first < end; ++other) {
      const uint64_t from = std::max<uint64_t>(range.begin.offset, other->first), to = std::min(end, other->second);
      both.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to - from)});
    }
  }
  return both;
}

/// Runs from the last command to the first, for bytes that will be read, then forward, for bytes that have been
/// written.
class Liveness {
public:
  Liveness(std::span<const LinearCommand> list, std::span<const uint32_t> points, std::span<const BufferStart> starts)
      : list_(list), starts_(starts) {
    for (uint32_t point : points)
      points_.push_back({point, {}});
  }

  std::vector<YieldPoint> run() {
    for (const LinearCommand &entry : list_)
      if (!isCancelled())
        accesses_.push_back(sramAccessOf(entry.command.body));
    if (accesses_.size() == list_.size()) {
      findRead();
      findWritten();
    }
    return std::move(points_);
  }

private:
  void findRead() {
    ByteSet live;
    size_t start = starts_.size(), point = points_.size();
    for (size_t index = list_.size(); index-- > 0;) {
      const SramAccess &access = accesses_[index];
      if (access.isExact)
        for (SramBytes range : access.writes)
          live.remove(range.begin, range.end);
      for (SramBytes range : access.reads)
        live.add(range.begin, range.end);
      for (; start > 0 && starts_[start - 1].command == index; --start)
        live.remove(starts_[start - 1].begin, starts_[start - 1].end);
      for (; point > 0 && points_[point - 1].before == index; --point)
        for (auto [begin, end] : live.ranges())
          points_[point - 1].live.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)});
    }
  }

  void findWritten() {
    ByteSet written;
    size_t index = 0;
    for (YieldPoint &point : points_) {
      for (; index < point.before; ++index)
        for (SramBytes range : accesses_[index].writes)
          written.add(range.begin, range.end);
      point.live = intersect(point.live, written);
      limitRanges(point.live);
    }
  }

  std::span<const LinearCommand> list_;
  std::span<const BufferStart> starts_;
  std::vector<SramAccess> accesses_;
  std::vector<YieldPoint> points_;
};

} // namespace

std::vector<YieldPoint> findLive(std::span<const LinearCommand> list, std::span<const uint32_t> points,
                                 std::span<const BufferStart> starts) {
  return Liveness(list, points, starts).run();
}

} // namespace avocet::compiler
