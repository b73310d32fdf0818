//===- PlanDescription.h - How a model was divided --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_PLANDESCRIPTION_H
#define AVOCET_HAL_PARTITION_PLANDESCRIPTION_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::hal {

/// A step as planned. Operations and operands are indices of its subgraph.
struct StepDescription {
  enum class Kind { Device, If, While }; ///< the last two are interpreted by the host
  Kind kind = Kind::Device;
  uint32_t subgraph = 0; ///< 0: the main one, k + 1: referenced subgraph k
  std::string device;    ///< that prepared the step; "host" for If and While
  std::vector<uint32_t> operations;
  std::vector<uint32_t> inputs;  ///< that other steps or the caller provide
  std::vector<uint32_t> outputs; ///< that other steps or the caller read
};

/// The steps of each subgraph in their order. Steps of referenced subgraphs come after those of the main one.
struct PlanDescription {
  std::vector<StepDescription> steps;
};

/// One line for each step: subgraph, device, operations by name. `model`: the one that was planned.
std::string planTable(const PlanDescription &plan, const Model &model);
/// The steps and the operands between them, in Graphviz's notation.
std::string planGraph(const PlanDescription &plan, const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_PARTITION_PLANDESCRIPTION_H
