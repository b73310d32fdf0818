//===- Scheduler.cpp - From problem to sequence -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Planner.h"

namespace avocet::compiler::schedule {

std::variant<Sequence, Misfit> makeSchedule(const Problem &problem) {
  kernels::BlockChooser chooser(problem.target);
  auto plan = choosePlan(problem, chooser);
  if (const Misfit *misfit = std::get_if<Misfit>(&plan))
    return *misfit;
  return lowerPlan(problem, std::get<Plan>(plan), chooser);
}

} // namespace avocet::compiler::schedule
