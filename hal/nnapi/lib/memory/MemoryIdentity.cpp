//===- MemoryIdentity.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/MemoryIdentity.h"

#include <atomic>

namespace avocet::nnapi {
namespace {

int64_t nextNumber() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool isSame(const std::weak_ptr<hal::IBurst> &a, const std::shared_ptr<hal::IBurst> &b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

} // namespace

MemoryIdentity::MemoryIdentity() : number_(nextNumber()) {}

MemoryIdentity::~MemoryIdentity() {
  for (const auto &weak : bursts_)
    if (std::shared_ptr<hal::IBurst> burst = weak.lock())
      (void)burst->releaseMemoryResource(number_);
}

void MemoryIdentity::noteUse(const std::shared_ptr<hal::IBurst> &burst) {
  std::lock_guard lock(mutex_);
  std::erase_if(bursts_, [](const auto &weak) { return weak.expired(); });
  for (const auto &weak : bursts_)
    if (isSame(weak, burst))
      return;
  bursts_.push_back(burst);
}

} // namespace avocet::nnapi
