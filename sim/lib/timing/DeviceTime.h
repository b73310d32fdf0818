//===- DeviceTime.h - Nanoseconds and cycles --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_TIMING_DEVICETIME_H
#define AVOCET_SIM_LIB_TIMING_DEVICETIME_H

#include "avocet/firmware_iface/Target.h"

#include <cstdint>

namespace avocet::sim {

/// The cycle of an event that never happens.
inline constexpr uint64_t kNever = UINT64_MAX;

/// Whole cycles in `ns` nanoseconds of device time; saturates.
inline uint64_t cyclesIn(const firmware::Target &target, uint64_t ns) {
  const auto cycles = static_cast<unsigned __int128>(ns) * target.clockHz() / 1'000'000'000u;
  return cycles > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(cycles);
}

inline uint64_t saturatingSum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_TIMING_DEVICETIME_H
