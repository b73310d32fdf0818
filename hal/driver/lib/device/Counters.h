//===- Counters.h - Counters of the driver's work ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_COUNTERS_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_COUNTERS_H

#include <atomic>
#include <cstdint>

namespace avocet::hal {

/// A number that only grows; relaxed, so it does not order other accesses.
class Counter {
public:
  void operator+=(uint64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> value_{0};
};

/// See DriverCounters.
struct Counters {
  Counter hostBytesCopied, poolsMapped, operandsBound, bindingsReused, specializations, specializationsCached,
      improvements, improvementsFailed;
  Counter executionsEver, executionsFailed, cacheHits, cacheMisses;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_COUNTERS_H
