//===- YieldVerify.cpp - Verification of live ranges ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "YieldPoints.h"

#include "SramAccess.h"

#include <algorithm>
#include <map>
#include <string>

namespace avocet::compiler {

using namespace firmware;

namespace {

/// Something that bytes hold, for each byte at most once.
template <typename Held> class Bytes {
public:
  void forget(SramBytes range) {
    auto first = splitAt(range.begin);
    map_.erase(first, splitAt(range.end));
  }

  /// For the bytes of the range that hold nothing yet.
  void add(SramBytes range, const Held &held) {
    for (uint64_t at = range.begin; at < range.end;) {
      auto entry = splitAt(at);
      const uint64_t gapEnd = entry == map_.end() ? range.end : std::min(range.end, entry->first);
      if (at < gapEnd)
        map_.emplace_hint(entry, at, Part{gapEnd, held});
      for (at = gapEnd; entry != map_.end() && entry->first == at && at < range.end; ++entry)
        at = entry->second.end;
    }
  }

  /// Calls use(bytes, held) for the parts of a range that hold something.
  template <typename Use> void forEach(SramBytes range, Use &&use) {
    auto entry = splitAt(range.begin);
    for (auto end = splitAt(range.end); entry != end; ++entry)
      use(SramBytes{entry->first, entry->second.end}, entry->second.held);
  }

private:
  struct Part {
    uint64_t end;
    Held held;
  };
  using Map = std::map<uint64_t, Part>;

  /// Makes `at` a border; returns the first entry at or after it.
  typename Map::iterator splitAt(uint64_t at) {
    auto next = map_.lower_bound(at);
    if (next == map_.begin() || std::prev(next)->second.end <= at)
      return next;
    Part tail = std::prev(next)->second;
    std::prev(next)->second.end = at;
    return map_.emplace_hint(next, at, tail);
  }

  Map map_;
};

/// Walks over the commands. At each point, all values outside its ranges are lost; a later read of one is an error. So
/// a value is looked at once, however many points it outlives.
class Verifier {
public:
  Verifier(std::span<const LinearCommand> list, std::span<const YieldPoint> points, std::span<const BufferStart> starts)
      : list_(list), points_(points), starts_(starts) {}

  Status run() {
    for (size_t number = 0; number < points_.size(); ++number)
      AVOCET_RETURN_IF_ERROR(check(number));
    size_t start = 0, point = 0;
    for (uint32_t index = 0; index < list_.size(); ++index) {
      for (; point < points_.size() && points_[point].before <= index; ++point)
        stopAt(uint32_t(point));
      for (; start < starts_.size() && starts_[start].command <= index; ++start)
        forget({starts_[start].begin, starts_[start].end});
      const SramAccess access = sramAccessOf(list_[index].command.body);
      for (SramBytes range : access.reads)
        AVOCET_RETURN_IF_ERROR(read(range, index));
      for (SramBytes range : access.writes) {
        if (access.isExact) // else older values stay in gaps
          forget(range);
        writers_.add(range, index);
      }
    }
    return Status::ok();
  }

private:
  struct Loss {
    uint32_t writer, point;
  };

  Status check(size_t number) const {
    const YieldPoint &point = points_[number];
    const std::string place = "yield point " + std::to_string(number + 1);
    if (point.live.size() > YieldCommand::kMaxLiveRanges)
      return internalError(place + " has too many ranges");
    if (number > 0 && points_[number - 1].before >= point.before)
      return internalError(place + " is out of order");
    uint64_t end = 0;
    for (const SramRange &range : point.live) {
      if (range.bytes == 0 || (range.begin.offset < end) || (end != 0 && range.begin.offset == end))
        return internalError(place + " has ranges that are empty, touch or are out of order");
      end = uint64_t{range.begin.offset} + range.bytes;
    }
    return Status::ok();
  }

  void stopAt(uint32_t number) {
    uint64_t begin = 0; // of the bytes between two ranges
    for (const SramRange &range : points_[number].live) {
      lose({begin, range.begin.offset}, number);
      begin = uint64_t{range.begin.offset} + range.bytes;
    }
    lose({begin, UINT64_MAX}, number);
  }

  void lose(SramBytes range, uint32_t point) {
    writers_.forEach(range, [&](SramBytes bytes, uint32_t writer) { lost_.add(bytes, {writer, point}); });
    writers_.forget(range);
  }

  void forget(SramBytes range) {
    writers_.forget(range);
    lost_.forget(range);
  }

  Status read(SramBytes range, uint32_t reader) {
    Status status = Status::ok();
    lost_.forEach(range, [&](SramBytes bytes, const Loss &loss) {
      if (status.isOk())
        status = internalError("yield point " + std::to_string(loss.point + 1) + " does not keep bytes " +
                               std::to_string(bytes.begin) + " to " + std::to_string(bytes.end) + ", which command " +
                               std::to_string(loss.writer) + " wrote and command " + std::to_string(reader) + " reads");
    });
    return status;
  }

  std::span<const LinearCommand> list_;
  std::span<const YieldPoint> points_;
  std::span<const BufferStart> starts_;
  Bytes<uint32_t> writers_; ///< the earliest command whose value a byte may hold
  Bytes<Loss> lost_;
};

} // namespace

Status verifyYields(std::span<const LinearCommand> list, std::span<const YieldPoint> points,
                    std::span<const BufferStart> starts) {
  return Verifier(list, points, starts).run();
}

} // namespace avocet::compiler
