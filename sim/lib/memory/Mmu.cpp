//===- Mmu.cpp - The address space of a context -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Mmu.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
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

using namespace firmware;

static bool isPageAligned(uint64_t value) { return value % kPageBytes == 0; }

bool Mmu::overlaps(uint64_t begin, uint64_t end) const {
  auto next = mappings_.lower_bound(begin);
  if (next != mappings_.end() && next->first < end)
    return true;
  return next != mappings_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > begin;
}

ReplyCode Mmu::map(const MapRequest &request) {
  uint64_t end, systemEnd;
  const uint32_t known = access::kRead | access::kWrite;
  if (request.bytes == 0 || !isPageAligned(request.bytes) || !isPageAligned(request.deviceAddress) ||
      !isPageAligned(request.systemAddress) || request.access == 0 || (request.access & ~known) != 0 ||
      __builtin_add_overflow(request.deviceAddress, request.bytes, &end) ||
      __builtin_add_overflow(request.systemAddress, request.bytes, &systemEnd))
    return ReplyCode::BadMessage;
  if (overlaps(request.deviceAddress, end))
    return ReplyCode::AlreadyMapped;
  if (mappings_.size() >= kMaxMappings)
    return ReplyCode::OutOfMappings;
  mappings_.emplace(request.deviceAddress, Mapping{request.bytes, request.systemAddress, request.access});
  ++generation_;
  return ReplyCode::Ok;
}

ReplyCode Mmu::unmap(const MapRequest &request) {
  auto mapping = mappings_.find(request.deviceAddress);
  if (mapping == mappings_.end())
    return ReplyCode::NotMapped;
  if (mapping->second.bytes != request.bytes)
    return ReplyCode::BadMessage;
  mappings_.erase(mapping);
  ++generation_;
  return ReplyCode::Ok;
}

std::span<uint8_t> Mmu::find(uint64_t address, uint64_t bytes, uint32_t access) const {
  auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin())
    return {};
  const auto &[first, mapping] = *std::prev(next);
  const uint64_t offset = address - first;
  if (offset >= mapping.bytes || (mapping.access & access) != access)
    return {};
  return bus_.find(mapping.systemAddress + offset, std::min(bytes, mapping.bytes - offset));
}

bool Mmu::read(uint64_t address, std::span<uint8_t> to, uint64_t &faultAddress) const {
  while (!to.empty()) {
    std::span<uint8_t> from = find(address, to.size(), access::kRead);
    if (from.empty()) {
      faultAddress = address;
      return false;
    }
    std::memcpy(to.data(), from.data(), from.size());
    to = to.subspan(from.size());
    address += from.size();
  }
  return true;
}

bool Mmu::write(uint64_t address, std::span<const uint8_t> from, uint64_t &faultAddress) const {
  while (!from.empty()) {
    std::span<uint8_t> to = find(address, from.size(), access::kWrite);
    if (to.empty()) {
      faultAddress = address;
      return false;
    }
    std::memcpy(to.data(), from.data(), to.size());
    from = from.subspan(to.size());
    address += to.size();
  }
  return true;
}

} // namespace avocet::sim
