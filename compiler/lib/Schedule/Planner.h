//===- Planner.h - Choice of sections and homes -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic programming over the borders between operations. A section costs its cycles, plus a price for the SRAM that
// it keeps from constants which could be loaded ahead: `memoryPrice` is the share of its cycles that holding the whole
// SRAM would cost. What the right price is depends on the network; the caller tries a few and plays each plan.
//
// Tensors that cross a border stay in SRAM. Where no division into sections fits, the largest tensor that crosses the
// worst section is spilled to DRAM, and so on until one does.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_PLANNER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_PLANNER_H

#include "TileCosts.h"
#include "avocet/compiler/Schedule/Plan.h"

#include <memory>
#include <variant>

namespace avocet::compiler::schedule {

struct PlannerOptions {
  double memoryPrice = 0;
  uint64_t budget = 0; ///< bytes of SRAM that a section may use
  /// Constants that come at once should not be larger: a large group finds a place ahead of its use only in a large
  /// hole.
  uint64_t largestGroup = UINT64_MAX;
  /// The price is on results alone: constants of the section would have been loaded ahead in any case. Right for long
  /// sections with small constants, wrong for large constants that come in parts.
  bool constantsAreFree = false;
  /// Operations that fit in no other way may run in pieces.
  bool pieces = false;
  /// Each operation is a section of its own, and every tensor that can live in DRAM does. No plan needs less memory:
  /// there is one exactly if each operation fits by itself (Feasibility.h).
  bool isolated = false;
};

/// Plans one problem, at any number of prices; remembers what it learned about sections.
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

#endif // AVOCET_COMPILER_LIB_SCHEDULE_PLANNER_H
