//===- Planner.h - Choice of sections and homes -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_PLANNER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_PLANNER_H

#include "avocet/compiler/Schedule/Plan.h"
#include "avocet/kernels/BlockChoice.h"

#include <variant>

namespace avocet::compiler::schedule {

std::variant<Plan, Misfit> choosePlan(const Problem &problem, kernels::BlockChooser &chooser);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_PLANNER_H
