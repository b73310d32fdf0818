//===- Tasks.cpp - Threads for executions ---------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Tasks.h"

#include <system_error>
#include <thread>

namespace avocet::hal::partition {

/// The state whose task the thread runs.
static thread_local const void *currentState = nullptr;

void Tasks::wait() {
  const size_t own = currentState == state_.get() ? 1 : 0;
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->running == own; });
}

void Tasks::run(const std::shared_ptr<State> &state, std::function<void()> task) {
  currentState = state.get();
  task();
  task = nullptr; // may drop the last reference to the owner
  std::scoped_lock lock(state->mutex);
  --state->running;
  state->changed.notify_all();
}

bool Tasks::start(std::function<void()> task) {
  std::scoped_lock lock(state_->mutex);
  if (state_->running == kMaxTasks)
    return false;
  try {
    std::thread([state = state_, task = std::move(task)]() mutable { run(state, std::move(task)); }).detach();
  } catch (const std::system_error &) {
    return false;
  }
  ++state_->running;
  return true;
}

} // namespace avocet::hal::partition
