//===- FakeClock.h - A clock that a test sets -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_FAKECLOCK_H
#define AVOCET_TESTS_HAL_DRIVER_FAKECLOCK_H

#include "avocet/hal/types/Types.h"

#include <atomic>
#include <functional>
#include <memory>

namespace avocet::hal::testing {

/// Stands still except in advance(). Copies are the same clock. Thread-safe.
class FakeClock {
public:
  TimePoint now() const { return TimePoint(Duration(nanoseconds_->load())); }
  void advance(Duration time) { *nanoseconds_ += time.count(); }
  std::function<TimePoint()> function() const {
    return [clock = *this] { return clock.now(); };
  }

private:
  std::shared_ptr<std::atomic<int64_t>> nanoseconds_ = std::make_shared<std::atomic<int64_t>>(int64_t(3600) << 30);
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_FAKECLOCK_H
