//===- Futex.cpp - Sleeping on a word that processes share -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Futex.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC.
timespec absolute(Duration timeout) {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  int64_t nanoseconds = time.tv_nsec + timeout.count() % 1'000'000'000;
  time.tv_sec += timeout.count() / 1'000'000'000 + nanoseconds / 1'000'000'000;
  time.tv_nsec = nanoseconds % 1'000'000'000;
  return time;
}

} // namespace

void futexWait(std::atomic<uint32_t> &word, uint32_t bits, Duration timeout) {
  uint32_t value = word.load(std::memory_order_acquire);
  if ((value & bits) != 0)
    return;
  timespec end = absolute(timeout);
  ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, &end, nullptr, bits);
}

void futexWake(std::atomic<uint32_t> &word, uint32_t bits) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, bits);
}

void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace avocet::hal
