//===- Plan.h - Steps of a model --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PLAN_PLAN_H
#define AVOCET_HAL_PARTITION_LIB_PLAN_PLAN_H

#include "avocet/hal/partition/Partition.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace avocet::hal::partition {

/// Operations of one subgraph that run on one device, or one IF or WHILE for the host.
struct PlanStep {
  StepDescription::Kind kind = StepDescription::Kind::Device;
  std::shared_ptr<IDevice> device;  ///< null for the host
  std::vector<uint32_t> operations; ///< ascending; one for the host
  Model model;                      ///< of a device step
  std::vector<uint32_t> inputs;     ///< operands of the subgraph, in the order of the step model's inputs
  std::vector<uint32_t> outputs;    ///< the same for outputs
  std::vector<uint32_t> released;   ///< operands that no later step reads
};

/// Subgraph 0 is the main one, k + 1 is referenced subgraph k.
struct Plan {
  std::map<uint32_t, std::vector<PlanStep>> subgraphs; ///< only those that the host executes
  std::shared_ptr<IDevice> onlyDevice;                 ///< if set, there are no steps
};

inline const Subgraph &subgraphOf(const Model &model, uint32_t index) {
  return index == 0 ? model.main : model.referenced[index - 1];
}

/// Whether the model or one of its subgraphs has an operation of an extension or an OEM operation.
bool hasVendorOperation(const Model &model);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PLAN_PLAN_H
