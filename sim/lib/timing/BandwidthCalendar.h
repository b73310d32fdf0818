//===- BandwidthCalendar.h - A shared port over time ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bandwidth of one port, shared by all requesters, in quanta of kQuantum cycles. A transfer takes the free bytes of
// each quantum from its request time on, up to its own rate, until all its bytes are placed. Requests are served in
// order inside a quantum; a slow requester (DMA fed by off-chip memory) takes its share of each quantum and leaves the
// rest. There are no events for bursts: one call places a whole block.
//
// A transfer that uses a port alone takes exactly ceil(bytes / rate) cycles. Under contention times are exact to a
// quantum, and the bytes moved in any quantum never exceed what the port can move in it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_TIMING_BANDWIDTHCALENDAR_H
#define AVOCET_SIM_LIB_TIMING_BANDWIDTHCALENDAR_H

#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <vector>

namespace avocet::sim {

class BandwidthCalendar {
public:
  static constexpr uint64_t kQuantum = 64;
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  explicit BandwidthCalendar(firmware::Rate rate);

  /// Bytes of one quantum.
  uint64_t quantumBytes() const { return quantumBytes_; }

  /// Places `bytes` from cycle `earliest` on, at most `bytesPerQuantum` in a quantum, and returns the cycle after the
  /// last one. Requests for a quantum that was dropped are placed after it.
  uint64_t reserve(uint64_t earliest, uint64_t bytes, uint64_t bytesPerQuantum = kNoLimit);

  /// Drops the quanta before `now`. The caller places nothing before `now` any more.
  void forget(uint64_t now) {
    if (now / kQuantum > first_)
      forgetBefore(now / kQuantum);
  }

private:
  struct Quantum {
    uint64_t used = 0; ///< bytes placed
    uint64_t full = 0; ///< of a full quantum: that many from here on are full, and maybe more
  };

  Quantum &at(uint64_t quantum) { return quanta_[quantum & (quanta_.size() - 1)]; }
  bool isKept(uint64_t quantum) const { return quantum - first_ < quanta_.size(); }
  uint64_t firstWithRoom(uint64_t quantum);
  void forgetBefore(uint64_t quantum);
  void grow(uint64_t quantum);

  uint64_t quantumBytes_;
  uint64_t first_ = 0;          ///< first quantum that is kept
  std::vector<Quantum> quanta_; ///< quantum q is at q % size, size a power of two
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_TIMING_BANDWIDTHCALENDAR_H
