//===- ByteSet.h - A set of bytes as ranges ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_BYTESET_H
#define AVOCET_COMPILER_LIB_YIELD_BYTESET_H

#include <algorithm>
#include <cstdint>
#include <map>

namespace avocet::compiler {

/// Ranges are disjoint, do not touch, and are never empty. Empty ranges may be added and removed.
class ByteSet {
public:
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

  void remove(uint64_t begin, uint64_t end) {
    if (begin >= end)
      return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second > begin)
      --next;
    while (next != ranges_.end() && next->first < end) {
      const auto [first, last] = *next;
      next = ranges_.erase(next);
      if (first < begin)
        ranges_.emplace_hint(next, first, begin);
      if (last > end)
        next = ranges_.emplace_hint(next, end, last);
    }
  }

  bool covers(uint64_t begin, uint64_t end) const {
    auto next = ranges_.upper_bound(begin);
    return begin >= end || (next != ranges_.begin() && std::prev(next)->second >= end);
  }

  const std::map<uint64_t, uint64_t> &ranges() const { return ranges_; } ///< begin to end

private:
  std::map<uint64_t, uint64_t> ranges_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_BYTESET_H
