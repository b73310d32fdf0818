//===- PowerControl.cpp - Performance and power states of a device --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/PowerControl.h"

#include <algorithm>

namespace avocet::runtime {

PowerControl::PowerControl(std::shared_ptr<const firmware::Target> target, bool hasLevels)
    : target_(std::move(target)), hasLevels_(hasLevels), holds_(model().levels.size()), level_(model().defaultLevel) {
  totals_.levelNanoseconds.resize(model().levels.size());
  totals_.idleStateNanoseconds.resize(model().idleStates.size());
}

void PowerControl::setClock(Clock clock) {
  std::lock_guard lock(mutex_);
  clock_ = std::move(clock);
  beginIdling(now());
}

void PowerControl::beginIdling(Nanoseconds time) { idleSince_ = accounted_ = time; }

/// Nothing: awake.
std::optional<uint32_t> PowerControl::idleStateAt(Nanoseconds time) const {
  if (numJobs_ != 0 || isHeld() || !hasLevels_)
    return std::nullopt;
  std::optional<uint32_t> state;
  const auto &states = model().idleStates;
  for (uint32_t i = 0; i < states.size(); ++i)
    if (time - idleSince_ >= Nanoseconds(states[i].entryNanoseconds))
      state = i;
  return state;
}

void PowerControl::addIdle(std::optional<uint32_t> state, Nanoseconds time) {
  const auto nanoseconds = static_cast<double>(std::max<int64_t>(time.count(), 0));
  double &sum = state ? totals_.idleStateNanoseconds[*state] : totals_.awakeNanoseconds;
  sum += nanoseconds;
  // A milliwatt for a nanosecond is a picojoule.
  totals_.idlePicojoules +=
      nanoseconds * (state ? model().idleStates[*state].milliwatts : model().levels[level_].staticMilliwatts);
}

/// Adds up the idle time until `time`, state by state.
void PowerControl::account(Nanoseconds time) {
  if (numJobs_ != 0 || !hasLevels_)
    return;
  while (accounted_ < time) {
    const std::optional<uint32_t> state = idleStateAt(accounted_);
    const size_t next = state ? *state + 1 : 0;
    Nanoseconds end = time;
    if (!isHeld() && next < model().idleStates.size())
      end = std::min(end, idleSince_ + Nanoseconds(model().idleStates[next].entryNanoseconds));
    addIdle(state, end - accounted_);
    accounted_ = end;
  }
}

/// Leaves the idle state, if the device is in one. The caller makes it busy or holds it.
PowerControl::Nanoseconds PowerControl::wake(Nanoseconds time) {
  const std::optional<uint32_t> state = idleStateAt(time);
  account(time);
  if (!state)
    return Nanoseconds(0);
  const firmware::IdleState &left = model().idleStates[*state];
  ++totals_.wakeUps;
  totals_.wakePicojoules += left.wakeNanojoules * 1e3;
  return Nanoseconds(left.wakeNanoseconds);
}

/// `level`, or that of the fastest hold.
uint32_t PowerControl::heldLevel(uint32_t level) const {
  for (uint32_t i = 0; i < holds_.size(); ++i)
    if (holds_[i] != 0)
      level = std::max(level, i);
  return level;
}

PowerControl::Hold PowerControl::hold(uint32_t level) {
  std::lock_guard lock(mutex_);
  (void)wake(now());
  ++holds_[level];
  ++numHolds_;
  if (numJobs_ == 0) {
    beginIdling(now());
    level_ = heldLevel(level);
  }
  return Hold(this, level);
}

void PowerControl::release(uint32_t level) noexcept {
  std::lock_guard lock(mutex_);
  account(now());
  --holds_[level];
  --numHolds_;
  if (numJobs_ != 0)
    return;
  beginIdling(now());
  if (isHeld())
    level_ = heldLevel(0);
}

PowerControl::Admission PowerControl::admit(std::optional<uint32_t> level) {
  if (!hasLevels_)
    return {model().defaultLevel};
  std::lock_guard lock(mutex_);
  const Nanoseconds delay = wake(now());
  ++numJobs_;
  level_ = heldLevel(level.value_or(model().defaultLevel));
  return {level_, delay};
}

void PowerControl::leave(uint32_t level, const JobOutcome &outcome) noexcept {
  if (!hasLevels_)
    return;
  std::lock_guard lock(mutex_);
  if (outcome.state != firmware::JobState::Pending) { // else it was never submitted
    ++totals_.jobs;
    const firmware::JobEnergy energy = jobEnergy(*target_, outcome.counters, level);
    totals_.jobEnergy.dynamicPicojoules += energy.dynamicPicojoules;
    totals_.jobEnergy.staticPicojoules += energy.staticPicojoules;
    totals_.levelNanoseconds[level] += nanosecondsAt(*target_, outcome.counters.cycles, level);
  }
  if (--numJobs_ == 0)
    beginIdling(now());
}

std::chrono::nanoseconds PowerControl::wakeTime() const {
  std::lock_guard lock(mutex_);
  const std::optional<uint32_t> state = idleStateAt(now());
  return Nanoseconds(state ? model().idleStates[*state].wakeNanoseconds : 0);
}

PowerState PowerControl::state() const {
  std::lock_guard lock(mutex_);
  return {level_, idleStateAt(now()), numHolds_};
}

PowerTotals PowerControl::totals() {
  std::lock_guard lock(mutex_);
  account(now());
  return totals_;
}

} // namespace avocet::runtime
