//===- Futex.cpp - Waiting on a word that processes share -*- C++ -*-===//
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
void futexWait(std::atomic<uint32_t> &word, uint32_t bits, FutexClock::time_point end) {
  uint32_t value = word.load(std::memory_order_acquire);
  if ((value & bits) != 0)
    return;
  auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(end.time_since_epoch()).count();
  timespec limit = {static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, &limit, nullptr, bits);
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
