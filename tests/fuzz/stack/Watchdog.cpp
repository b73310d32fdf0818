//===- Watchdog.cpp - Ends a program with a step that does not end ------------ ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include "Require.h"

namespace avocet::fuzz {

Watchdog::Watchdog(std::chrono::seconds limit) : limit_(limit), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    isStopped_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::begins(const char *step) {
  std::lock_guard lock(mutex_);
  step_ = step;
  since_ = std::chrono::steady_clock::now();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!isStopped_) {
    changed_.wait_for(lock, std::chrono::milliseconds(500));
    require(step_ == nullptr || std::chrono::steady_clock::now() - since_ < limit_,
            std::string("the step '") + (step_ != nullptr ? step_ : "") + "' does not end");
  }
}

} // namespace avocet::fuzz
