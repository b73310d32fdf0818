//===- PreparedPlan.h - Compiled steps --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PREPARE_PREPAREDPLAN_H
#define AVOCET_HAL_PARTITION_LIB_PREPARE_PREPAREDPLAN_H

#include "plan/Plan.h"
#include "prepare/Compile.h"
#include "run/Value.h"

#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace avocet::hal::partition {

struct PreparedStep {
  PlanStep plan;
  std::shared_ptr<IPreparedModel> prepared; ///< null for the host
  std::unique_ptr<CpuCopy> cpu;             ///< null for the host
  /// Largest size so far of each output whose size is known only after a run. Only a hint.
  std::vector<std::atomic<uint64_t>> sizes;
};

/// All steps, ready to run. Constant but for hints and copies on the CPU; shared by executions on any thread.
struct PreparedPlan {
  std::shared_ptr<const Model> model;
  std::map<uint32_t, std::vector<PreparedStep>> subgraphs;
  std::map<std::pair<uint32_t, uint32_t>, Value> constants; ///< read by the host: subgraph, operand
  std::unique_ptr<CpuCopy> whole;
  uint64_t temporaryBytes = 0; ///< of all operands between steps whose sizes are known

  const Subgraph &subgraph(uint32_t index) const { return subgraphOf(*model, index); }
};

/// Compiles the steps. A step that its device cannot compile goes to the CPU, if `cpu` is not null and may have it.
Result<std::shared_ptr<PreparedPlan>> preparePlan(std::shared_ptr<const Model> model, Plan plan,
                                                  const std::shared_ptr<IDevice> &cpu, const PartitionOptions &options);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PREPARE_PREPAREDPLAN_H
