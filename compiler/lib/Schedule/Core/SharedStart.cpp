//===- SharedStart.cpp - Constants in parts, and then at once ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedStart.h"

#include "Lowering.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

uint32_t heightOf(const Problem &problem, uint32_t operation) {
  return problem.operations[operation].outputs[0].shape.height;
}

uint64_t cyclesOf(const Problem &problem, const Cascade &cascade, uint32_t operation, TileCosts &costs) {
  return costs.inStripes(operation, heightOf(problem, operation), cascade.channelParts).cycles;
}

/// Whether the port needs longer for inputs or results than the array for one part of the channels.
bool waitsForPort(const Problem &problem, const Plan &plan, const Cascade &cascade, TileCosts &costs) {
  uint64_t loaded = 0, stored = 0, cycles = 0;
  const auto add = [&](const std::vector<Operand> &operands, uint64_t &bytes) {
    for (const Operand &operand : operands)
      if (!operand.isConstant && plan.residencies[operand.id] == Residency::Dram)
        bytes += operand.shape.bytes();
  };
  for (uint32_t i = cascade.first; i < cascade.end; ++i) {
    add(problem.operations[i].inputs, loaded);
    add(problem.operations[i].outputs, stored);
    cycles += cyclesOf(problem, cascade, i, costs);
  }
  const uint64_t moved = kernels::loadRate(*problem.target).cyclesFor(std::max(loaded, stored));
  return moved * cascade.channelParts > cycles;
}

/// The end of the first operations that take as long as the port needs for their constants and those of the others.
uint32_t endOfStart(const Problem &problem, const Cascade &cascade, TileCosts &costs) {
  const Operation &op = problem.operations[cascade.first];
  const uint64_t constants = constantBytes(problem, op, 0, op.outputs[0].shape.channels);
  const uint64_t loads = kernels::loadRate(*problem.target).cyclesFor(2 * constants);
  uint64_t cycles = 0;
  uint32_t end = cascade.first;
  while (end < cascade.end && cycles < loads) {
    cycles += cyclesOf(problem, cascade, end, costs);
    ++end;
  }
  return end;
}

} // namespace

std::optional<Plan> withSharedStart(const Problem &problem, const Plan &plan, TileCosts &costs) {
  Plan divided = plan;
  divided.cascades.clear();
  for (const Cascade &cascade : plan.cascades) {
    divided.cascades.push_back(cascade);
    const bool hasParts = cascade.channelParts > 1 && cascade.end > cascade.first + 1;
    if (!hasParts || problem.pins.cascadeAt(cascade.first) || !waitsForPort(problem, plan, cascade, costs))
      continue;
    const uint32_t end = endOfStart(problem, cascade, costs);
    if (end == cascade.end)
      continue;
    // Operations that share parts do not read each other's results, so that tensors stay where they are.
    divided.cascades.back().end = end;
    divided.cascades.back().stripeRows = heightOf(problem, end - 1);
    divided.cascades.push_back({end, cascade.end, heightOf(problem, cascade.end - 1)});
  }
  return divided.cascades == plan.cascades ? std::nullopt : std::optional(std::move(divided));
}

} // namespace avocet::compiler::schedule
