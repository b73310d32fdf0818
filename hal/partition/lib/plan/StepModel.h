//===- StepModel.h - The model of a step ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PLAN_STEPMODEL_H
#define AVOCET_HAL_PARTITION_LIB_PLAN_STEPMODEL_H

#include "plan/Plan.h"

#include <cstdint>
#include <vector>

namespace avocet::hal::partition {

/// For each operand of a subgraph, its readers and whether it is an output of the subgraph.
class OperandUses {
public:
  /// Readers that are not live do not count.
  OperandUses(const Subgraph &subgraph, const std::vector<bool> &isLive);
  const std::vector<uint32_t> &readers(uint32_t operand) const { return readers_[operand]; }

private:
  std::vector<std::vector<uint32_t>> readers_;
};

/// Fills model, inputs and outputs of a device step from its operations. Constants are copied or refer to the same
/// pools; subgraphs of control flow are copied with everything that they use.
void buildStepModel(const Model &model, const Subgraph &subgraph, const OperandUses &uses, PlanStep &step);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PLAN_STEPMODEL_H
