//===- WorkerPool.cpp - Threads for asynchronous calls ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/WorkerPool.h"

#include "avocet/base/TraceRequest.h"

#include <system_error>

namespace avocet {

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->isEnding = true;
  }
  state_->changed.notify_all();
  for (std::thread &thread : threads_)
    joinUnlessOwn(thread);
}

bool WorkerPool::startThreads() {
  std::lock_guard lock(startMutex_);
  while (threads_.size() < numThreads_) {
    try {
      threads_.emplace_back([state = state_] { work(state); });
    } catch (const std::system_error &) {
      break;
    }
  }
  return !threads_.empty();
}

bool WorkerPool::post(std::function<void()> task) {
  if (!startThreads())
    return false;
  if (const TraceRequest request = currentTraceRequest(); request != 0)
    task = [request, task = std::move(task)] {
      const TraceRequestScope scope(request);
      task();
    };
  const std::shared_ptr<State> state = state_; // the task may destroy the pool
  {
    std::lock_guard lock(state->mutex);
    if (state->tasks.size() >= state->maxQueued)
      return false;
    state->tasks.push_back(std::move(task));
  }
  state->changed.notify_one();
  return true;
}

/// A task is destroyed before the next one starts, and without the lock: it may hold the last reference to the pool.
void WorkerPool::work(const std::shared_ptr<State> &state) {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(state->mutex);
      state->changed.wait(lock, [&] { return state->isEnding || !state->tasks.empty(); });
      if (state->tasks.empty())
        return;
      task = std::move(state->tasks.front());
      state->tasks.pop_front();
    }
    task();
  }
}

} // namespace avocet
