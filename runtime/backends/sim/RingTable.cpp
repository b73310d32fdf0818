//===- RingTable.cpp - The rings of all contexts ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingTable.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::runtime {

void RingTable::add(ContextHandle context, std::shared_ptr<ContextRing> ring) {
  std::unique_lock lock(mutex_);
  byNumber_.resize(std::max<size_t>(byNumber_.size(), size_t{ring->ring()} + 1));
  byNumber_[ring->ring()] = ring;
  ringOf_.emplace(context, std::move(ring));
}

void RingTable::remove(ContextHandle context) {
  std::unique_lock lock(mutex_);
  auto ring = ringOf_.find(context);
  byNumber_[ring->second->ring()] = nullptr;
  ringOf_.erase(ring);
}

std::shared_ptr<ContextRing> RingTable::find(ContextHandle context) const {
  std::shared_lock lock(mutex_);
  auto ring = ringOf_.find(context);
  return ring == ringOf_.end() ? nullptr : ring->second;
}

std::shared_ptr<ContextRing> RingTable::numbered(uint32_t number) const {
  std::shared_lock lock(mutex_);
  return number < byNumber_.size() ? byNumber_[number] : nullptr;
}

RingTable::Rings RingTable::all() const {
  std::shared_lock lock(mutex_);
  Rings rings;
  for (const auto &[context, ring] : ringOf_)
    rings.push_back(ring);
  return rings;
}

Result<uint32_t> RingTable::freeNumber(uint32_t limit) const {
  std::shared_lock lock(mutex_);
  auto free = static_cast<size_t>(std::ranges::find(byNumber_, nullptr) - byNumber_.begin());
  if (free < limit)
    return static_cast<uint32_t>(free);
  return resourceExhausted(fmt::format("the device has {} contexts, and all are in use", limit));
}

Result<ContextRing *> RingTable::ringOf(ContextHandle context, const char *what) const {
  auto ring = ringOf_.find(context);
  if (ring == ringOf_.end())
    return invalidArgument(fmt::format("{}: there is no context {}", what, context));
  return ring->second.get();
}

/// Collects the referenced jobs that have not completed. Requires the lock.
Status RingTable::resolve(std::span<const JobReference> references, RingDependencies &dependencies) const {
  for (const JobReference &reference : references) {
    AVOCET_ASSIGN_OR_RETURN(ContextRing * ring, ringOf(reference.context, "submit, to wait for a job"));
    AVOCET_RETURN_IF_ERROR(ring->addDependency(reference.job, dependencies));
  }
  return Status::ok();
}

RingTable::Rings RingTable::rebuild() {
  Rings rings = all();
  for (const std::shared_ptr<ContextRing> &ring : rings)
    ring->reap();
  std::unique_lock lock(mutex_);
  isRebuilding_ = true;
  for (const std::shared_ptr<ContextRing> &ring : rings)
    ring->rebuild();
  return rings;
}

void RingTable::endRebuild() {
  std::unique_lock lock(mutex_);
  isRebuilding_ = false;
}

} // namespace avocet::runtime
