//===- ClientSlots.cpp - The memory slots of a burst's client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientSlots.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {

Outcome ClientSlots::begin(std::span<const RequestPool> pools, std::span<const int64_t> identifiers,
                           std::vector<int32_t> &slots, std::vector<int32_t> &expired) {
  slots.clear();
  expired.clear();
  std::lock_guard lock(mutex_);
  if (!knowsAll(identifiers))
    sweep(expired);
  for (size_t i = 0; i < pools.size(); ++i) {
    Result<int32_t> slot = slotOf(std::get<SharedMemory>(pools[i]), identifiers[i]);
    if (!slot) {
      finishLocked(slots, expired);
      return slot.error();
    }
    ++entries_[*slot].numUses;
    slots.push_back(*slot);
  }
  return success();
}

bool ClientSlots::knowsAll(std::span<const int64_t> identifiers) const {
  return std::ranges::all_of(identifiers, [&](int64_t identifier) { return byIdentifier_.contains(identifier); });
}

/// Releases the slots of memories that were destroyed.
void ClientSlots::sweep(std::vector<int32_t> &expired) {
  for (size_t slot = 0; slot < entries_.size(); ++slot)
    if (entries_[slot].isInUse && entries_[slot].memory.expired())
      giveUp(static_cast<int32_t>(slot), expired);
}

Result<int32_t> ClientSlots::slotOf(const SharedMemory &memory, int64_t identifier) {
  auto known = identifier == kNone ? byIdentifier_.end() : byIdentifier_.find(identifier);
  if (known == byIdentifier_.end())
    return take(memory, identifier);
  if (!isSameMemory(entries_[known->second].memory.lock(), memory))
    return invalidArgument(fmt::format("burst: identifier {} stands for another memory", identifier));
  return known->second;
}

Result<int32_t> ClientSlots::take(const SharedMemory &memory, int64_t identifier) {
  int32_t slot = 0;
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else if (entries_.size() < maxSlots_) {
    slot = static_cast<int32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("burst: all {} slots are in use", maxSlots_));
  }
  entries_[slot] = {memory, identifier, 0, true};
  if (identifier != kNone)
    byIdentifier_[identifier] = slot;
  return slot;
}

/// The slot has no owner from now on, but is free only after the peer has released it.
void ClientSlots::giveUp(int32_t slot, std::vector<int32_t> &released) {
  if (entries_[slot].identifier != kNone)
    byIdentifier_.erase(entries_[slot].identifier);
  entries_[slot] = {};
  released.push_back(slot);
}

void ClientSlots::finish(std::span<const int32_t> slots, std::vector<int32_t> &released) {
  released.clear();
  std::lock_guard lock(mutex_);
  finishLocked(slots, released);
}

void ClientSlots::finishLocked(std::span<const int32_t> slots, std::vector<int32_t> &released) {
  for (int32_t slot : slots)
    if (--entries_[slot].numUses == 0 && entries_[slot].identifier == kNone)
      giveUp(slot, released);
}

void ClientSlots::release(int64_t identifier, std::vector<int32_t> &released) {
  std::lock_guard lock(mutex_);
  auto known = byIdentifier_.find(identifier);
  if (known == byIdentifier_.end())
    return;
  int32_t slot = known->second;
  if (entries_[slot].numUses == 0)
    return giveUp(slot, released);
  entries_[slot].identifier = kNone; // of the execution only
  byIdentifier_.erase(known);
}

void ClientSlots::recycle(int32_t slot) {
  std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

Result<std::vector<SharedMemory>> ClientSlots::memories(std::span<const int32_t> slots) const {
  std::vector<SharedMemory> memories;
  std::lock_guard lock(mutex_);
  for (int32_t slot : slots) {
    SharedMemory memory;
    if (slot >= 0 && static_cast<size_t>(slot) < entries_.size() && entries_[slot].isInUse)
      memory = entries_[slot].memory.lock();
    if (memory == nullptr)
      return invalidArgument(fmt::format("burst: slot {} is not in use", slot));
    memories.push_back(std::move(memory));
  }
  return memories;
}

} // namespace avocet::hal
