//===- Isolation.cpp - One operation alone in SRAM --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolation.h"

#include "Lowering.h"
#include "RowFlow.h"
#include "TensorUses.h"
#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::compiler::schedule {

/// Maximum number of stripes to try before pieces.
constexpr uint32_t kFewStripes = 64;

/// Independent pieces that take more than so many times the least time of the port have short runs, which cross it in
/// whole bursts. Then pieces with a state are tried.
constexpr double kMostPortCycles = 1.25;

Isolation::Isolation(const Problem &problem, uint32_t operation) : from_(problem) {
  alone_.target = problem.target;
  Operation op = problem.operations[operation];
  for (Operand &input : op.inputs)
    input.id = input.isConstant ? constant(input.id) : tensor(input.id);
  if (op.dynamicScale != kNone)
    op.dynamicScale = tensor(op.dynamicScale);
  for (uint32_t *id : {&op.weights, &op.records, &op.table})
    if (*id != kNone)
      *id = constant(*id);
  for (Operand &output : op.outputs) {
    output.id = uint32_t(alone_.tensors.size());
    output.offset = output.rowStride = output.pixelStride = 0;
    alone_.tensors.push_back({output.shape, kNone, {outputs_++}});
  }
  alone_.operations.push_back(std::move(op));
}

/// Bytes with all operands whole in SRAM.
uint64_t Isolation::wholeBytes() const {
  const Operation &op = alone_.operations[0];
  uint64_t bytes = alignUp(constantBytes(alone_, op, 0, op.outputs[0].shape.channels));
  for (const Tensor &tensor : alone_.tensors)
    bytes += alignUp(tensor.shape.bytes());
  return bytes;
}

/// Whether the operation fits in a few stripes, with operands in DRAM.
bool Isolation::fitsInStripes(uint64_t budget) const {
  const Operation &op = alone_.operations[0];
  const uint32_t height = op.outputs[0].shape.height;
  const uint64_t constants = alignUp(constantBytes(alone_, op, 0, op.outputs[0].shape.channels));
  const Plan plan{{}, std::vector<Residency>(alone_.tensors.size(), Residency::Dram)};
  const TensorUses uses(alone_);
  for (uint32_t stripes = 2; op.rowWise && stripes <= std::min(height, kFewStripes); stripes *= 2) {
    const RowFlow flow = flowCascade(alone_, uses, plan, {0, 1, divideUp(height, stripes)}, true);
    if (constants + ringBytes(alone_, flow) <= budget)
      return true;
  }
  return false;
}

uint32_t Isolation::tensor(uint32_t id) {
  auto [entry, isNew] = tensors_.try_emplace(id, uint32_t(alone_.tensors.size()));
  if (isNew)
    alone_.tensors.push_back({from_.tensors[id].shape, entry->second, {}});
  return entry->second;
}

uint32_t Isolation::constant(uint32_t id) {
  auto [entry, isNew] = constants_.try_emplace(id, uint32_t(alone_.constants.size()));
  if (isNew)
    alone_.constants.push_back(from_.constants[id]);
  return entry->second;
}

bool Isolation::fitsWithoutState() const {
  const uint64_t budget = cascadeBudget(*alone_.target);
  return wholeBytes() <= budget || fitsInStripes(budget) || splitOperation(alone_, 0, budget, Cut::Independent);
}

/// Cycles of the off-chip port if each operand crosses it once, in whole bursts.
static double leastPortCycles(const Problem &problem, const Operation &op) {
  const uint64_t bytes = op.operandBytes();
  return double(problem.target->dram().bandwidth.cyclesFor(bytes));
}

std::optional<Pieces> splitOperation(const Problem &problem, uint32_t operation, uint64_t budget) {
  std::optional<Pieces> pieces = splitOperation(problem, operation, budget, Cut::Independent);
  if (splittersOf(problem, operation, Cut::WithState).empty())
    return pieces;
  const bool isWorthwhile =
      pieces ? double(pieces->portCycles) > kMostPortCycles * leastPortCycles(problem, problem.operations[operation])
             : !Isolation(problem, operation).fitsWithoutState();
  if (!isWorthwhile)
    return pieces;
  std::optional<Pieces> withState = splitOperation(problem, operation, budget, Cut::WithState);
  return withState && (!pieces || withState->portCycles < pieces->portCycles) ? withState : pieces;
}

} // namespace avocet::compiler::schedule
