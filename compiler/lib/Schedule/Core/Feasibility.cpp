//===- Feasibility.cpp - Whether an operation fits at all -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feasibility.h"

#include "Isolation.h"
#include "Planner.h"

namespace avocet::compiler::schedule {

std::optional<Misfit> misfitAlone(const Problem &problem, uint32_t operation) {
  const Isolation isolation(problem, operation);
  const uint64_t budget = cascadeBudget(*problem.target);
  // The planner would also find these solutions, but after a longer search.
  if (isolation.fitsWithoutState() || splitOperation(isolation.problem(), 0, budget, Cut::WithState))
    return std::nullopt;
  TileCosts costs(isolation.problem());
  auto plan = Planner(isolation.problem(), costs, budget, 0).plan({.pieces = true, .isolated = true});
  if (std::holds_alternative<Plan>(plan))
    return std::nullopt;
  Misfit misfit = std::get<Misfit>(plan);
  misfit.operation = operation;
  return misfit;
}

} // namespace avocet::compiler::schedule
