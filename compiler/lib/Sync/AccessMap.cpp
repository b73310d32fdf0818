//===- AccessMap.cpp - Last accesses by byte range --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessMap.h"

#include <algorithm>

namespace avocet::compiler {

AccessMap::Map::iterator AccessMap::splitAt(uint64_t at) {
  auto next = map_.lower_bound(at);
  if (next == map_.begin())
    return next;
  auto inside = std::prev(next);
  if (inside->second.end <= at)
    return next;
  Access tail = inside->second;
  inside->second.end = at;
  return map_.emplace_hint(next, at, tail);
}

void AccessMap::read(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed) {
  auto entry = splitAt(begin);
  splitAt(end);
  uint64_t covered = begin;
  auto readGap = [&](uint64_t gapEnd) {
    Access access;
    access.end = gapEnd;
    access.readers[engine] = position;
    map_.emplace_hint(entry, covered, access);
  };
  for (; entry != map_.end() && entry->first < end; ++entry) {
    if (covered < entry->first)
      readGap(entry->first);
    Access &access = entry->second;
    needed[access.writer] = std::max(needed[access.writer], access.writerPosition);
    access.readers[engine] = position;
    covered = access.end;
  }
  if (covered < end)
    readGap(end);
}

void AccessMap::write(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed) {
  auto first = splitAt(begin);
  auto last = splitAt(end);
  for (auto entry = first; entry != last; ++entry) {
    const Access &access = entry->second;
    needed[access.writer] = std::max(needed[access.writer], access.writerPosition);
    for (size_t other = 0; other < kMaxEngines; ++other)
      needed[other] = std::max(needed[other], access.readers[other]);
  }
  auto hint = map_.erase(first, last);
  Access access;
  access.end = end;
  access.writer = engine;
  access.writerPosition = position;
  map_.emplace_hint(hint, begin, access);
}

} // namespace avocet::compiler
