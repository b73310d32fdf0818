//===- AddressRanges.h - A union of ranges of addresses -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_ADDRESSRANGES_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_ADDRESSRANGES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace avocet::compiler::schedule {

/// Addresses, as disjoint ranges in ascending order, of which none touches the next.
class AddressRanges {
public:
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  using Iterator = std::vector<Range>::const_iterator;

  void add(Range range) {
    const auto first = std::ranges::lower_bound(ranges_, range.begin, {}, &Range::end);
    auto last = first;
    for (; last != ranges_.end() && last->begin <= range.end; ++last)
      range = {std::min(range.begin, last->begin), std::max(range.end, last->end)};
    if (first == last) {
      ranges_.insert(first, range);
      return;
    }
    *first = range;
    ranges_.erase(first + 1, last);
  }

  void clear() { ranges_.clear(); }
  Iterator begin() const { return ranges_.begin(); }
  Iterator end() const { return ranges_.end(); }

  /// The first range that has an address from `address` on.
  Iterator from(uint64_t address) const { return std::ranges::upper_bound(ranges_, address, {}, &Range::end); }

  bool overlaps(Range range) const {
    const Iterator next = from(range.begin);
    return next != ranges_.end() && next->begin < range.end;
  }

private:
  std::vector<Range> ranges_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_MEMORY_ADDRESSRANGES_H
