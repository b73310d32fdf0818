//===- Tasks.h - Threads for executions -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_TASKS_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_TASKS_H

#include "avocet/hal/types/Interfaces.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace avocet::hal::partition {

/// Runs each task on a thread of its own: tasks wait for fences and devices, and a task of a pool could wait for one
/// that never gets a thread. Thread-safe.
class Tasks {
public:
  static constexpr size_t kMaxTasks = 1024;

  Tasks() : state_(std::make_shared<State>()) {}
  ~Tasks() { wait(); }
  Tasks(const Tasks &) = delete;
  Tasks &operator=(const Tasks &) = delete;

  /// False, without effect: too many tasks run, or no thread can be started.
  bool start(std::function<void()> task);

  /// Waits until no task runs but the one that calls this. An owner whose members or virtual functions tasks use calls
  /// it first in the destructor of the most derived class.
  void wait();

private:
  struct State {
    std::mutex mutex; ///< guards running
    std::condition_variable changed;
    size_t running = 0;
  };
  static void run(const std::shared_ptr<State> &state, std::function<void()> task);
  const std::shared_ptr<State> state_; ///< shared with the threads
};

/// Waits for the fences on a thread of the host, calls `run` with the options that are left, and signals the fence.
/// `run` keeps alive what it uses, `tasks` included, and is dropped before the fence signals.
Result<FencedLaunch> launchFenced(Tasks &tasks, const std::vector<SyncFence> &waitFor, const FencedOptions &options,
                                  std::function<ExecutionOutcome(const ExecutionOptions &)> run);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_TASKS_H
