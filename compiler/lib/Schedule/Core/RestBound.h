//===- RestBound.h - Least time of the operations to come -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_RESTBOUND_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_RESTBOUND_H

#include "PlanClock.h"
#include "TileCosts.h"

#include <vector>

namespace avocet::compiler::schedule {

/// Compares partial plans that end at different borders.
class RestBound {
public:
  RestBound(const Problem &problem, TileCosts &costs);

  /// A lower bound of the whole network's cycles if the operations before `border` have this clock: after it, each
  /// operation computes without a wait, and its constants cross the off-chip port once.
  uint64_t cycles(const PlanClock &clock, uint32_t border) const {
    return std::max(clock.computed() + computing_[border], clock.position() + port_[border]);
  }

private:
  std::vector<uint64_t> computing_, port_; ///< cycles by border
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_RESTBOUND_H
