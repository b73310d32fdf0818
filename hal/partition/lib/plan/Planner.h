//===- Planner.h - Divides a model into steps -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PLAN_PLANNER_H
#define AVOCET_HAL_PARTITION_LIB_PLAN_PLANNER_H

#include "plan/DeviceChoice.h"
#include "plan/Plan.h"

namespace avocet::hal::partition {

/// Subgraphs that the host interprets inside each other; more are refused, since the host calls itself for each.
inline constexpr uint32_t kMaxNesting = 64;

/// Divides a valid model. InvalidArgument: no device supports an operation, or the model would have to be divided
/// although `mayPartition` is false.
Result<Plan> makePlan(const Model &model, const Candidates &candidates, bool mayPartition);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PLAN_PLANNER_H
