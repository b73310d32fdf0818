//===- SaturatedTime.h - Time limits that cannot overflow -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_SATURATEDTIME_H
#define AVOCET_HAL_TYPES_SATURATEDTIME_H

#include <chrono>
#include <type_traits>

namespace avocet::hal {

/// `start` + `time`, at most the largest time point of the clock. `start` is not before the clock's epoch.
template <typename Clock, typename Unit>
constexpr std::chrono::time_point<Clock, Unit> later(std::chrono::time_point<Clock, Unit> start,
                                                     std::type_identity_t<Unit> time) {
  using Point = std::chrono::time_point<Clock, Unit>;
  return time > Point::max() - start ? Point::max() : start + time;
}

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_SATURATEDTIME_H
