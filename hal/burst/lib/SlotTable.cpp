//===- SlotTable.cpp - Memories that a burst's client has named -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotTable.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {

bool SlotTable::find(std::span<const int32_t> slots, std::vector<RequestPool> &memories,
                     std::vector<int64_t> &identifiers) const {
  memories.resize(slots.size());
  identifiers.resize(slots.size());
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots.size(); ++i) {
    auto entry = entries_.find(slots[i]);
    if (entry == entries_.end())
      return false;
    memories[i] = entry->second.memory;
    identifiers[i] = entry->second.identifier;
  }
  return true;
}

std::vector<int32_t> SlotTable::unknown(std::span<const int32_t> slots) const {
  std::vector<int32_t> missing;
  std::lock_guard lock(mutex_);
  std::ranges::copy_if(slots, std::back_inserter(missing), [&](int32_t slot) { return !entries_.contains(slot); });
  std::ranges::sort(missing);
  auto repeated = std::ranges::unique(missing);
  missing.erase(repeated.begin(), repeated.end());
  return missing;
}

Outcome SlotTable::insert(std::span<const int32_t> slots, std::span<const SharedMemory> memories) {
  std::lock_guard lock(mutex_);
  if (slots.size() > maxSlots_ || entries_.size() > maxSlots_ - slots.size())
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("burst: {} more memories, {} of {} are in use", slots.size(), entries_.size(), maxSlots_));
  for (size_t i = 0; i < slots.size(); ++i)
    if (entries_.try_emplace(slots[i], Entry{memories[i], nextIdentifier_}).second)
      ++nextIdentifier_;
  return success();
}

std::optional<int64_t> SlotTable::erase(int32_t slot) {
  SharedMemory memory; // freed without the lock
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(slot);
  if (entry == entries_.end())
    return std::nullopt;
  int64_t identifier = entry->second.identifier;
  memory = std::move(entry->second.memory);
  entries_.erase(entry);
  return identifier;
}

} // namespace avocet::hal
