//===- Futex.h - Waiting on a word that processes share -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_QUEUE_LIB_FUTEX_H
#define AVOCET_HAL_QUEUE_LIB_FUTEX_H

#include "avocet/hal/types/Types.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace avocet::hal {

/// The clock of futexes: CLOCK_MONOTONIC, which std::chrono::steady_clock is on Linux.
using FutexClock = std::chrono::steady_clock;

/// Sleeps until one of `bits` is woken, unless one of them is set already; at most until `end`. May wake spuriously.
void futexWait(std::atomic<uint32_t> &word, uint32_t bits, FutexClock::time_point end);

/// Wakes all threads that sleep on one of `bits`, in any process.
void futexWake(std::atomic<uint32_t> &word, uint32_t bits);

/// A hint to the processor inside a polling loop.
void spinPause();

} // namespace avocet::hal

#endif // AVOCET_HAL_QUEUE_LIB_FUTEX_H
