//===- Workers.h - Threads that share the work of a command -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller takes shares of the work too, and takes all that no worker has taken. So work never waits for a thread
// that sleeps, or that a fork has left behind in the parent.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_PARALLEL_WORKERS_H
#define AVOCET_SIM_LIB_PARALLEL_WORKERS_H

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace avocet::sim {

/// One thread at a time may call run().
class Workers {
public:
  static constexpr uint32_t kMostThreads = 64;
  static constexpr uint32_t kMostShares = UINT16_MAX;

  /// `threads` with the caller's; values outside of [1, kMostThreads] are clamped. The first run() starts them.
  explicit Workers(uint32_t threads);
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;
  ~Workers();

  uint32_t threads() const { return threads_; }

  /// Calls work(0) to work(shares - 1), in any order and on several threads, and returns when all have ended. Rethrows
  /// the first exception after that. At most kMostShares.
  void run(uint32_t shares, const std::function<void(uint32_t)> &work);

private:
  void start();
  void serve();
  bool takeShare();
  void perform(uint32_t share);
  void awaitEnd(uint32_t shares);

  const uint32_t threads_;
  bool isStarted_ = false;
  std::vector<std::thread> workers_;

  // Of the current run. The number of the run is part of the ticket: a thread that was held up in an earlier run cannot
  // take a share of this one by an old ticket, and reads `work_` only with a share in hand, while run() cannot return.
  const std::function<void(uint32_t)> *work_ = nullptr;
  std::atomic<uint64_t> ticket_{0}; ///< run (32 bits), shares (16), next share (16)
  std::atomic<uint32_t> ended_{0};  ///< shares
  std::mutex failureMutex_;
  std::exception_ptr failure_; ///< guarded by failureMutex_

  std::atomic<uint32_t> bell_{0}; ///< changes with each run and at the end
  std::atomic<bool> stops_{false};
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_PARALLEL_WORKERS_H
