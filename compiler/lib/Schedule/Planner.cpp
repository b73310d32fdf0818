//===- Planner.cpp - Choice of sections and homes ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "Lowering.h"

#include <algorithm>

namespace avocet::compiler::schedule {

std::variant<Plan, Misfit> choosePlan(const Problem &problem, kernels::BlockChooser &chooser) {
  Plan plan;
  for (uint32_t i = 0; i < problem.operations.size(); ++i) {
    const Operation &op = problem.operations[i];
    uint32_t parts = 1;
    const uint32_t channels = op.outputs[0].shape.channels;
    while (op.channelGranule && constantBytes(problem, op, 0, channels) / parts > problem.target->sram().bytes / 4 &&
           parts < channels)
      parts *= 2;
    plan.sections.push_back({i, i + 1, op.outputs[0].shape.height, parts});
  }
  plan.homes = homesOf(problem, plan.sections);
  return plan;
}

} // namespace avocet::compiler::schedule
