//===- YieldVerify.cpp - Verification of live ranges ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Yield/YieldPoints.h"

#include "SramAccess.h"

#include "avocet/base/ByteSet.h"

#include <algorithm>
#include <map>
#include <string>

namespace avocet::compiler {

using namespace firmware;

namespace {

/// For each byte, the earliest command whose value it may hold: an inexact write leaves older values in gaps.
class Values {
public:
  struct Value {
    uint64_t end;
    uint32_t writer;
    uint32_t checked; ///< the points up to this command include it
  };

  void write(SramBytes range, uint32_t command, bool isExact) {
    if (isExact)
      forget(range);
    uint64_t at = range.begin;
    for (auto entry = splitAt(range.begin); at < range.end;) {
      const uint64_t gapEnd = entry == map_.end() ? range.end : std::min(range.end, entry->first);
      if (at < gapEnd)
        map_.emplace_hint(entry, at, Value{gapEnd, command, command});
      at = gapEnd;
      for (; entry != map_.end() && entry->first == at && at < range.end; ++entry)
        at = entry->second.end;
    }
  }

  void forget(SramBytes range) {
    auto first = splitAt(range.begin);
    map_.erase(first, splitAt(range.end));
  }

  /// Calls check(begin, value) for the parts of a range that hold a value.
  template <typename F> Status forEach(SramBytes range, F &&check) {
    auto entry = splitAt(range.begin);
    for (auto end = splitAt(range.end); entry != end; ++entry)
      AVOCET_RETURN_IF_ERROR(check(entry->first, entry->second));
    return Status::ok();
  }

private:
  using Map = std::map<uint64_t, Value>;

  /// Makes `at` a border; returns the first entry at or after it.
  Map::iterator splitAt(uint64_t at) {
    auto next = map_.lower_bound(at);
    if (next == map_.begin() || std::prev(next)->second.end <= at)
      return next;
    Value tail = std::prev(next)->second;
    std::prev(next)->second.end = at;
    return map_.emplace_hint(next, at, tail);
  }

  Map map_;
};

class Verifier {
public:
  Verifier(std::span<const LinearCommand> list, std::span<const YieldPoint> points, std::span<const BufferStart> starts)
      : list_(list), points_(points), starts_(starts) {}

  Status run() {
    for (size_t number = 0; number < points_.size(); ++number)
      AVOCET_RETURN_IF_ERROR(collect(number));
    size_t start = 0;
    for (uint32_t index = 0; index < list_.size(); ++index) {
      for (; start < starts_.size() && starts_[start].command <= index; ++start)
        values_.forget({starts_[start].begin, starts_[start].end});
      const SramAccess access = sramAccessOf(list_[index].command.body);
      for (SramBytes range : access.reads)
        AVOCET_RETURN_IF_ERROR(checkRead(index, range));
      for (SramBytes range : access.writes)
        values_.write(range, index, access.isExact);
    }
    return Status::ok();
  }

private:
  Status collect(size_t number) {
    const YieldPoint &point = points_[number];
    const std::string place = "yield point " + std::to_string(number + 1);
    if (point.live.size() > YieldCommand::kMaxLiveRanges)
      return internalError(place + " has too many ranges");
    if (number > 0 && points_[number - 1].before >= point.before)
      return internalError(place + " is out of order");
    uint64_t end = 0;
    ByteSet &live = live_.emplace_back();
    for (const SramRange &range : point.live) {
      if (range.bytes == 0 || (range.begin.offset < end) || (end != 0 && range.begin.offset == end))
        return internalError(place + " has ranges that are empty, touch or are out of order");
      end = uint64_t{range.begin.offset} + range.bytes;
      live.add(range.begin.offset, end);
    }
    return Status::ok();
  }

  Status checkRead(uint32_t reader, SramBytes range) {
    return values_.forEach(range, [&](uint64_t begin, Values::Value &value) {
      auto first = std::upper_bound(points_.begin(), points_.end(), value.checked,
                                    [](uint32_t command, const YieldPoint &point) { return command < point.before; });
      for (; first != points_.end() && first->before <= reader; ++first)
        if (const auto number = first - points_.begin(); !live_[static_cast<size_t>(number)].covers(begin, value.end))
          return internalError("yield point " + std::to_string(number + 1) + " does not keep bytes " +
                               std::to_string(begin) + " to " + std::to_string(value.end) + ", which command " +
                               std::to_string(value.writer) + " wrote and command " + std::to_string(reader) +
                               " reads");
      value.checked = reader;
      return Status::ok();
    });
  }

  std::span<const LinearCommand> list_;
  std::span<const YieldPoint> points_;
  std::span<const BufferStart> starts_;
  std::vector<ByteSet> live_;
  Values values_;
};

} // namespace

Status verifyYields(std::span<const LinearCommand> list, std::span<const YieldPoint> points,
                    std::span<const BufferStart> starts) {
  return Verifier(list, points, starts).run();
}

} // namespace avocet::compiler
