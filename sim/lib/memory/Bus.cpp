//===- Bus.cpp - System memory as the device reaches it ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace avocet::sim {

Status Bus::attach(uint64_t address, std::span<uint8_t> memory) {
  uint64_t end;
  if (memory.empty() || __builtin_add_overflow(address, memory.size(), &end))
    return invalidArgument(
        fmt::format("memory of {} bytes at system address {:#x}: empty or wrapping", memory.size(), address));
  auto next = ranges_.lower_bound(address);
  bool overlaps = next != ranges_.end() && next->first < end;
  if (next != ranges_.begin()) {
    auto before = std::prev(next);
    overlaps |= before->first + before->second.size() > address;
  }
  if (overlaps)
    return invalidArgument(fmt::format("memory of {} bytes at system address {:#x} overlaps memory that is attached",
                                       memory.size(), address));
  ranges_.emplace(address, memory);
  return Status::ok();
}

Status Bus::detach(uint64_t address) {
  if (ranges_.erase(address) == 0)
    return notFound(fmt::format("no memory is attached at system address {:#x}", address));
  return Status::ok();
}

std::span<uint8_t> Bus::find(uint64_t address, uint64_t bytes) const {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin())
    return {};
  const auto &[first, memory] = *std::prev(next);
  const uint64_t offset = address - first;
  if (offset >= memory.size())
    return {};
  return memory.subspan(offset, std::min<uint64_t>(bytes, memory.size() - offset));
}

} // namespace avocet::sim
