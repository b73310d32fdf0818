//===- Watchdog.h - Ends a program with a step that does not end -------  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STACK_WATCHDOG_H
#define AVOCET_TESTS_FUZZ_STACK_WATCHDOG_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace avocet::fuzz {

/// A thread that aborts the process, with the name of the step, when a step takes longer than the limit.
class Watchdog {
public:
  explicit Watchdog(std::chrono::seconds limit);
  ~Watchdog();

  /// The next step begins; null: none does. `step` is a string literal. One thread.
  void begins(const char *step);

private:
  void watch();

  const std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const char *step_ = nullptr;
  std::chrono::steady_clock::time_point since_;
  bool isStopped_ = false;
  std::thread thread_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STACK_WATCHDOG_H
