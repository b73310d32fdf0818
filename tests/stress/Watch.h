//===- Watch.h - Who makes no progress ------------------------ -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine under load may stop anybody for seconds, so that time alone says nothing. A client hangs if it made no
// progress while the others, between them, made thousands of steps, and for a while; all hang if nobody makes progress
// for much longer. What a hanging client cannot do is end, so that every endless wait is found in the end.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_WATCH_H
#define AVOCET_TESTS_STRESS_WATCH_H

#include "Board.h"
#include "Scenario.h"

#include <chrono>
#include <string>
#include <vector>

namespace avocet::stress {

class Watch {
public:
  Watch(BoardContent &board, const Settings &settings);

  /// A new client is in the slot.
  void begins(uint32_t slot);
  void setAlive(uint32_t slot, bool isAlive);

  /// Empty, or who hangs at what.
  std::string look();

private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    bool isAlive = false;
    uint64_t progress = 0;
    uint64_t totalThen = 0; ///< progress of all, when it last made some
    Clock::time_point when;
  };
  uint64_t total() const;

  BoardContent &board_;
  std::chrono::duration<double> limit_;
  std::vector<Seen> seen_;
};

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_WATCH_H
