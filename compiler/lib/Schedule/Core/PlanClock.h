//===- PlanClock.h - Time of a plan, cascade by cascade ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays a plan with one step per cascade: when the engines finish, when the off-chip port is free, and how early the
// port can load the constants of the next cascade. The port is idle while earlier cascades compute, and the SRAM that
// they leave free can hold constants. The clock keeps the start and the free bytes of the last cascades for this.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANCLOCK_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANCLOCK_H

#include "avocet/firmware_iface/Target.h"

#include <array>
#include <cstdint>

namespace avocet::compiler::schedule {

/// What a cascade needs.
struct CascadeLoad {
  uint64_t cycles = 0;      ///< of its tiles
  uint64_t lastCycles = 0;  ///< of the tiles that need the last constants
  uint64_t loadedBytes = 0; ///< constants that cross the port
  uint64_t firstBytes = 0;  ///< constants before the first tile
  bool inParts = false;     ///< the constants arrive while it runs
  uint64_t movedBytes = 0;  ///< other bytes that cross the port while it runs
  uint64_t edgeLoads = 0;   ///< part of them: loads before the first tile
  uint64_t edgeStores = 0;  ///< part of them: stores after the last tile
  uint64_t freeBytes = 0;   ///< SRAM that the cascade leaves to constants of later cascades
};

class PlanClock {
public:
  /// Adds a cascade. `roomShare` is the share of the free SRAM that is usable in spite of fragmentation.
  void add(const firmware::Target &target, const CascadeLoad &load, double roomShare);

  uint64_t computed() const { return computed_; } ///< end of the last tile
  uint64_t portFree() const { return port_; }     ///< end of the last transfer
  /// The time from which the port can still load constants of later cascades: in SRAM that the last cascades leave
  /// free, the port can work ahead of the engines.
  uint64_t portPosition(const firmware::Target &target) const;
  uint64_t cycles() const { return computed_ > port_ ? computed_ : port_; }

private:
  /// A cascade of the past: from `start`, `room` bytes are free.
  struct Segment {
    uint64_t start = 0, room = 0;
  };
  static constexpr uint32_t kSegments = 32;

  struct Prefetch {
    uint64_t start = 0; ///< of the transfer
    uint64_t bytes = 0; ///< that are loaded before the cascade starts
    uint32_t segments = 0;
  };
  Prefetch prefetchOf(const firmware::Target &target, const CascadeLoad &load) const;
  void take(const Prefetch &prefetch);
  uint64_t loadConstants(const firmware::Target &target, const CascadeLoad &load);
  uint64_t loadEdge(const firmware::Target &target, const CascadeLoad &load) const;
  void push(const firmware::Target &target, Segment added);
  Segment &segment(uint32_t age) { return past_[(next_ + kSegments - 1 - age) % kSegments]; }
  const Segment &segment(uint32_t age) const { return past_[(next_ + kSegments - 1 - age) % kSegments]; }

  uint64_t computed_ = 0, port_ = 0;
  uint64_t lastConstants_ = 0; ///< when the last constants of the newest cascade arrive, if it waits for them
  std::array<Segment, kSegments> past_{}; ///< a ring, the newest before next_
  uint32_t next_ = 0, count_ = 0;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANCLOCK_H
