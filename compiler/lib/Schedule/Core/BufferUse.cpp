//===- BufferUse.cpp - When bytes of a buffer come into use -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/BufferUse.h"

#include <algorithm>

namespace avocet::compiler::schedule {

std::optional<BufferBytes> piecewiseWrite(const firmware::CommandBody &command) {
  const auto *dma = std::get_if<firmware::DmaCommand>(&command);
  if (!dma || dma->count0 != 1 || dma->count1 != 1 || dma->count2 != 1)
    return std::nullopt;
  return BufferBytes{dma->destination.offset, dma->destination.offset + dma->runBytes};
}

std::vector<BufferBytes> BufferUse::begin(uint64_t size, const std::optional<BufferBytes> &written) {
  if (isWhole_)
    return {};
  isWhole_ = !written;
  BufferBytes range = written.value_or(BufferBytes{0, size});
  range.end = std::min(range.end, size);
  std::vector<BufferBytes> fresh;
  auto next = used_.upper_bound(range.begin);
  uint64_t at = range.begin;
  if (next != used_.begin())
    at = std::max(at, std::prev(next)->second);
  for (; at < range.end; ++next) {
    const uint64_t end = next == used_.end() ? range.end : std::min(range.end, next->first);
    if (at < end)
      fresh.push_back({at, end});
    if (next == used_.end())
      break;
    at = std::max(at, next->second);
  }
  for (const BufferBytes &bytes : fresh)
    used_.emplace(bytes.begin, bytes.end);
  return fresh;
}

} // namespace avocet::compiler::schedule
