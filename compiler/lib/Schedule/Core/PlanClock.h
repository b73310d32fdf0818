//===- PlanClock.h - Time of a plan, cascade by cascade ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays a plan with one step per cascade. Two times describe a partial plan: when the last tile ends, and the position
// of the off-chip port, which is the time at which its transfers end if it works without a pause. A position before the
// end of the last tile means that the port is ahead: it has loaded constants of later cascades, at most as many bytes
// as each cascade leaves free in SRAM.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANCLOCK_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANCLOCK_H

#include "avocet/firmware_iface/Target.h"

#include <algorithm>
#include <cstdint>

namespace avocet::compiler::schedule {

/// What a cascade needs.
struct CascadeLoad {
  uint64_t cycles = 0;              ///< of its tiles
  uint64_t lastCycles = 0;          ///< of the tiles that need the last constants
  uint64_t loadedBytes = 0;         ///< constants that cross the port
  uint64_t firstBytes = 0;          ///< constants before the first tile
  uint64_t aheadBytes = UINT64_MAX; ///< constants that have a place before the first tile
  uint64_t movedBytes = 0;          ///< other bytes that cross the port while it runs
  uint64_t edgeLoads = 0;           ///< part of them: loads before the first tile
  uint64_t edgeStores = 0;          ///< part of them: stores after the last tile
  uint64_t rowLoads = 0;            ///< transfers of rows that wait until earlier rows have been read
  uint64_t rowBytes = 0;            ///< that they load
  uint64_t rowsAhead = 1;           ///< so many of them are under way while tiles compute
  uint64_t freeBytes = 0;           ///< SRAM that the cascade leaves to constants of later cascades
};

class PlanClock {
public:
  void add(const firmware::Target &target, const CascadeLoad &load);

  uint64_t computed() const { return computed_; } ///< end of the last tile
  uint64_t position() const { return position_; } ///< of the port
  uint64_t cycles() const { return std::max(computed_, position_); }

private:
  uint64_t computed_ = 0, position_ = 0;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANCLOCK_H
