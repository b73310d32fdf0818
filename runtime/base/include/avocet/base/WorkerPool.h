//===- WorkerPool.h - Threads for asynchronous calls ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_WORKERPOOL_H
#define AVOCET_BASE_WORKERPOOL_H

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace avocet {

/// Joins `thread`, but detaches it if it is the calling thread. For owners whose last reference may be released on
/// their own thread. A detached thread must not use the owner's members afterwards.
inline void joinUnlessOwn(std::thread &thread) {
  if (!thread.joinable())
    return;
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

/// A fixed number of threads that run tasks in order. The threads start with the first task. The destructor runs all
/// posted tasks before it returns. If a task holds the last reference to the pool, the threads end on their own.
class WorkerPool {
public:
  WorkerPool(uint32_t numThreads, size_t maxQueued) : numThreads_(numThreads), state_(std::make_shared<State>()) {
    state_->maxQueued = maxQueued;
  }
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// False, without effect, if too many tasks wait or no thread can be started. Tasks must not throw.
  bool post(std::function<void()> task);

private:
  /// Outlives the pool while a thread still runs.
  struct State {
    std::mutex mutex; ///< guards the members below; not held while a task runs
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    size_t maxQueued = 0;
    bool isEnding = false;
  };
  static void work(const std::shared_ptr<State> &state);
  bool startThreads();

  const uint32_t numThreads_;
  const std::shared_ptr<State> state_;
  std::mutex startMutex_; ///< guards threads_
  std::vector<std::thread> threads_;
};

} // namespace avocet

#endif // AVOCET_BASE_WORKERPOOL_H
