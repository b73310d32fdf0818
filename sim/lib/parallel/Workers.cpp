//===- Workers.cpp - Threads that share the work of a command -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parallel/Workers.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace avocet::sim {
namespace {

/// How long a thread without work looks for more before it sleeps: about the wake-up time of a thread, and longer than
/// the commands that one thread runs between two divided ones.
constexpr std::chrono::microseconds kPatience{50};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polls until isDone(), or for kPatience.
template <typename IsDone> bool poll(IsDone &&isDone) {
  constexpr int kPausesPerLook = 32; // at the clock
  for (const auto end = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < end;)
    for (int i = 0; i < kPausesPerLook; ++i, pause())
      if (isDone())
        return true;
  return isDone();
}

constexpr uint32_t nextOf(uint64_t ticket) { return static_cast<uint32_t>(ticket & UINT16_MAX); }
constexpr uint32_t sharesOf(uint64_t ticket) { return static_cast<uint32_t>(ticket >> 16 & UINT16_MAX); }
constexpr uint64_t nextRun(uint64_t ticket, uint32_t shares) {
  return ((ticket >> 32) + 1) << 32 | uint64_t{shares} << 16;
}

} // namespace

Workers::Workers(uint32_t threads) : threads_(std::clamp(threads, 1u, kMostThreads)) {}

Workers::~Workers() {
  stops_.store(true, std::memory_order_release);
  bell_.fetch_add(1, std::memory_order_release);
  bell_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

/// With fewer threads than meant, the others do their work.
void Workers::start() {
  workers_.reserve(threads_ - 1);
  try {
    while (workers_.size() + 1 < threads_)
      workers_.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
  }
}

void Workers::serve() {
  for (uint32_t seen = 0; !stops_.load(std::memory_order_acquire);) {
    while (takeShare()) {
    }
    const auto rings = [&] { return bell_.load(std::memory_order_acquire) != seen; };
    if (!poll(rings))
      bell_.wait(seen, std::memory_order_acquire);
    seen = bell_.load(std::memory_order_acquire);
  }
}

/// False: all shares are taken.
bool Workers::takeShare() {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  do {
    if (nextOf(ticket) == sharesOf(ticket))
      return false;
  } while (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  perform(nextOf(ticket));
  if (ended_.fetch_add(1, std::memory_order_acq_rel) + 1 == sharesOf(ticket))
    ended_.notify_one();
  return true;
}

void Workers::perform(uint32_t share) {
  try {
    (*work_)(share);
  } catch (...) {
    const std::lock_guard lock(failureMutex_);
    if (!failure_)
      failure_ = std::current_exception();
  }
}

void Workers::awaitEnd(uint32_t shares) {
  const auto hasEnded = [&] { return ended_.load(std::memory_order_acquire) == shares; };
  if (hasEnded() || poll(hasEnded))
    return;
  for (uint32_t ended = ended_.load(std::memory_order_acquire); ended != shares;
       ended = ended_.load(std::memory_order_acquire))
    ended_.wait(ended, std::memory_order_acquire);
}

void Workers::run(uint32_t shares, const std::function<void(uint32_t)> &work) {
  if (!std::exchange(isStarted_, true))
    start();
  work_ = &work;
  ended_.store(0, std::memory_order_relaxed);
  ticket_.store(nextRun(ticket_.load(std::memory_order_relaxed), shares), std::memory_order_release);
  bell_.fetch_add(1, std::memory_order_release);
  bell_.notify_all();
  while (takeShare()) {
  }
  awaitEnd(shares);
  const std::lock_guard lock(failureMutex_);
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

} // namespace avocet::sim
