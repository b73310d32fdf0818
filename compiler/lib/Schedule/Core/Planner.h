//===- Planner.h - Choice of cascades and residencies -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic programming over the borders between operations. The cost of a cascade is its cycles plus a price for the
// SRAM that it occupies and that prefetched constants could use. `memoryPrice` is the share of the cascade's cycles
// that holding the whole SRAM would cost. The right price depends on the network; the caller tries a few and plays each
// plan.
//
// Tensors that cross a border stay in SRAM. If no division into cascades fits, the largest tensor that crosses the
// worst cascade is spilled to DRAM, repeatedly until one fits.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANNER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANNER_H

#include "TileCosts.h"
#include "avocet/compiler/Schedule/Core/Plan.h"

#include <memory>
#include <variant>

namespace avocet::compiler::schedule {

struct PlannerOptions {
  double memoryPrice = 0;
  uint64_t budget = 0; ///< bytes of SRAM that a cascade may use
  /// Limit for constants that are transferred together: a large group can be loaded ahead of its use only if SRAM has a
  /// large free range.
  uint64_t largestGroup = UINT64_MAX;
  /// The price applies to results only, as if the cascade's constants were always loaded ahead. Right for long cascades
  /// with small constants, wrong for large constants that are loaded in parts.
  bool constantsAreFree = false;
  /// Operations that do not fit otherwise may run in pieces.
  bool pieces = false;
  /// Each operation is a cascade of its own, and every tensor that can be in DRAM is in DRAM. No plan needs less
  /// memory: this one exists exactly if each operation fits by itself (Feasibility.h).
  bool isolated = false;
};

/// Plans one problem, at any number of prices; caches cascade costs between calls.
class Planner {
public:
  Planner(const Problem &problem, TileCosts &costs);
  ~Planner();

  std::variant<Plan, Misfit> plan(const PlannerOptions &options);

private:
  class Search;
  std::unique_ptr<Search> search_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANNER_H
