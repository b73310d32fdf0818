//===- Watch.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include <fmt/format.h>

namespace avocet::stress {
namespace {

/// A client hangs if the others make this many steps while it makes none.
constexpr uint64_t kStepsOfOthers = 2000;
/// Factor on the limit for one client: on a stalled machine all clients may pause.
constexpr double kAllFactor = 4;

} // namespace

Watch::Watch(SharedStateContent &state, const Settings &settings)
    : state_(state), limit_(settings.hangSeconds), seen_(settings.clients) {}

uint64_t Watch::total() const {
  uint64_t sum = 0;
  for (const Slot &slot : state_.slots)
    sum += slot.progress;
  return sum;
}

void Watch::begins(uint32_t slot) { seen_[slot] = {true, state_.slots[slot].progress, total(), Clock::now()}; }

void Watch::setAlive(uint32_t slot, bool isAlive) { seen_[slot].isAlive = isAlive; }

std::vector<std::string> Watch::look() {
  std::vector<std::string> hanging;
  const uint64_t all = total();
  const Clock::time_point now = Clock::now();
  for (uint32_t i = 0; i < seen_.size(); ++i) {
    Seen &seen = seen_[i];
    const uint64_t progress = state_.slots[i].progress;
    if (!seen.isAlive || progress != seen.progress) {
      seen = {seen.isAlive, progress, all, now};
      continue;
    }
    const std::chrono::duration<double> still = now - seen.when;
    if ((still > limit_ && all - seen.totalThen > kStepsOfOthers) || still > kAllFactor * limit_)
      hanging.push_back(fmt::format("client {} at '{}' for {:.0f} s, while others made {} steps", i,
                                    state_.slots[i].action, still.count(), all - seen.totalThen));
  }
  return hanging;
}

} // namespace avocet::stress
