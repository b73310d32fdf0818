//===- OwnerShares.h - Device time used by each owner -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_OWNERSHARES_H
#define AVOCET_SIM_LIB_FIRMWARE_OWNERSHARES_H

#include <algorithm>
#include <cstdint>
#include <map>

namespace avocet::sim {

/// Fair queueing: the device cycles that each owner of contexts has used. An owner that returns with work is raised to
/// the least of the busy owners, so that it cannot save up time while it is idle.
class OwnerShares {
public:
  /// An owner exists as long as it has a context.
  void addContext(uint32_t owner) { ++owners_[owner].contexts; }
  void removeContext(uint32_t owner) {
    if (auto found = owners_.find(owner); found != owners_.end() && --found->second.contexts == 0)
      owners_.erase(found);
  }

  /// The owner has one more, or one fewer, job that is queued, running or suspended.
  void addJob(uint32_t owner) {
    const uint64_t least = leastOfBusy();
    Owner &own = owners_[owner];
    if (own.jobs++ == 0)
      own.cycles = std::max(own.cycles, least);
  }
  void removeJob(uint32_t owner) {
    if (auto found = owners_.find(owner); found != owners_.end())
      --found->second.jobs;
  }

  /// Requires that the job is still counted.
  void charge(uint32_t owner, uint64_t cycles) {
    owners_[owner].cycles += cycles;
    (void)leastOfBusy();
  }
  uint64_t cyclesOf(uint32_t owner) const {
    auto found = owners_.find(owner);
    return found == owners_.end() ? 0 : found->second.cycles;
  }
  void clear() { owners_.clear(), floor_ = 0; }

private:
  struct Owner {
    uint32_t contexts = 0, jobs = 0;
    uint64_t cycles = 0;
  };

  /// Never decreases, so that an owner that comes to an idle device starts level with those that left it.
  uint64_t leastOfBusy() {
    uint64_t least = UINT64_MAX;
    for (const auto &[number, owner] : owners_)
      if (owner.jobs != 0)
        least = std::min(least, owner.cycles);
    if (least != UINT64_MAX)
      floor_ = std::max(floor_, least);
    return floor_;
  }

  std::map<uint32_t, Owner> owners_;
  uint64_t floor_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_OWNERSHARES_H
