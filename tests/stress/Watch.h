//===- Watch.h - Detects hangs -------------------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loaded machine may stop any process for seconds, so that time alone proves nothing. A client hangs if it makes no
// progress for a while in which the others together make thousands of steps. All hang if no client makes progress for
// much longer. A hanging client cannot end, so every endless wait is detected eventually.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_WATCH_H
#define AVOCET_TESTS_STRESS_WATCH_H

#include "Scenario.h"
#include "SharedState.h"

#include <chrono>
#include <string>
#include <vector>

namespace avocet::stress {

class Watch {
public:
  Watch(SharedStateContent &state, const Settings &settings);

  /// Call it when a new client starts in the slot.
  void begins(uint32_t slot);
  void setAlive(uint32_t slot, bool isAlive);

  /// The clients that hang, each with its action, which is the call without an answer.
  std::vector<std::string> look();

private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    bool isAlive = false;
    uint64_t progress = 0;
    uint64_t totalThen = 0; ///< progress of all clients when this one last made some
    Clock::time_point when;
  };
  uint64_t total() const;

  SharedStateContent &state_;
  std::chrono::duration<double> limit_;
  std::vector<Seen> seen_;
};

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_WATCH_H
