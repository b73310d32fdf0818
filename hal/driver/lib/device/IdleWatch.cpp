//===- IdleWatch.cpp - Frees memory that was not used for a while -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/IdleWatch.h"

#include "avocet/base/WorkerPool.h"

#include <algorithm>
#include <system_error>

namespace avocet::hal {

IdleWatch::IdleWatch(Duration timeout, Clock clock) : state_(std::make_shared<State>()) {
  state_->timeout = std::max<Duration>(timeout, std::chrono::milliseconds(1));
  state_->clock = clock ? std::move(clock) : Clock(BootClock::now);
}

IdleWatch::~IdleWatch() {
  {
    std::lock_guard lock(state_->mutex);
    state_->isEnding = true;
  }
  state_->changed.notify_all();
  joinUnlessOwn(thread_);
}

void IdleWatch::add(std::weak_ptr<TrimHandle> object) {
  {
    std::lock_guard lock(state_->mutex);
    std::erase_if(state_->objects, [](const auto &known) { return known.expired(); });
    state_->objects.push_back(std::move(object));
  }
  std::lock_guard lock(startMutex_);
  if (thread_.joinable())
    return;
  try {
    thread_ = std::thread([state = state_] { watch(state); });
  } catch (const std::system_error &) {
    // Without the thread, memory stays until its owner is destroyed.
  }
}

void IdleWatch::wake() {
  {
    std::lock_guard lock(state_->mutex);
    state_->isAsleep = false;
  }
  state_->changed.notify_all();
}

size_t IdleWatch::sweep(State &state) {
  std::vector<std::shared_ptr<TrimHandle>> objects;
  {
    std::lock_guard lock(state.mutex);
    for (const std::weak_ptr<TrimHandle> &known : state.objects)
      if (std::shared_ptr<TrimHandle> object = known.lock())
        objects.push_back(std::move(object));
  }
  size_t left = 0;
  for (const auto &object : objects)
    left += object->trim(state.clock() - state.timeout);
  return left;
}

/// isAsleep is set before the sweep, so that an object that holds memory again during it wakes the thread.
void IdleWatch::watch(const std::shared_ptr<State> &state) {
  while (true) {
    state->isAsleep = true;
    if (sweep(*state) != 0)
      state->isAsleep = false;
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [&] { return state->isEnding || !state->isAsleep; });
    if (!state->isEnding)
      state->changed.wait_for(lock, state->timeout / 2, [&] { return state->isEnding; });
    if (state->isEnding)
      return;
  }
}

} // namespace avocet::hal
