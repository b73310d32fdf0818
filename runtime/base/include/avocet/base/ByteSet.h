//===- ByteSet.h - A set of bytes as disjoint ranges ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_BYTESET_H
#define AVOCET_BASE_BYTESET_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace avocet {

/// Ranges [begin, end), ascending and neither overlapping nor adjacent. An empty range may be added and removed.
class ByteSet {
public:
  using Ranges = std::map<uint64_t, uint64_t>; ///< end by begin

  const Ranges &ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto &[begin, end] : ranges_)
      sum += end - begin;
    return sum;
  }

  void add(uint64_t begin, uint64_t end) {
    if (begin >= end)
      return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin)
      --next;
    while (next != ranges_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, begin, end);
  }

  /// Removes the bytes in [begin, end) from the set, and calls piece(begin, end) for each removed range, ascending.
  template <typename Piece> void take(uint64_t begin, uint64_t end, Piece &&piece) {
    if (begin >= end)
      return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second > begin)
      --next;
    while (next != ranges_.end() && next->first < end) {
      const auto [first, last] = *next;
      next = ranges_.erase(next);
      if (first < begin)
        ranges_.emplace(first, begin);
      if (last > end)
        next = ranges_.emplace(end, last).first;
      piece(std::max(first, begin), std::min(last, end));
    }
  }

  void remove(uint64_t begin, uint64_t end) {
    take(begin, end, [](uint64_t, uint64_t) {});
  }

  /// Whether all of [begin, end) is in the set.
  bool covers(uint64_t begin, uint64_t end) const {
    auto next = ranges_.upper_bound(begin);
    return begin >= end || (next != ranges_.begin() && std::prev(next)->second >= end);
  }

  /// The first range of bytes of the set within [begin, end).
  std::optional<std::pair<uint64_t, uint64_t>> firstIn(uint64_t begin, uint64_t end) const {
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second > begin)
      --next;
    if (next == ranges_.end() || next->first >= end || begin >= end)
      return std::nullopt;
    return std::pair(std::max(begin, next->first), std::min(end, next->second));
  }

private:
  Ranges ranges_;
};

} // namespace avocet

#endif // AVOCET_BASE_BYTESET_H
