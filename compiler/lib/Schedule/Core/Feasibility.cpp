//===- Feasibility.cpp - Whether an operation fits at all -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Feasibility.h"

#include "Pieces/Piece.h"
#include "Planner.h"
#include "avocet/compiler/Schedule/Core/Lowering.h"
#include "avocet/compiler/Schedule/Core/RowFlow.h"

#include <algorithm>
#include <map>

namespace avocet::compiler::schedule {

uint64_t cascadeBudget(const firmware::Target &target) { return target.sram().bytes * 15 / 16; }

namespace {

/// Maximum number of stripes to try before pieces.
constexpr uint32_t kFewStripes = 64;

/// The problem of one operation of another problem. Its operands are inputs and outputs of the network.
class Isolation {
public:
  Isolation(const Problem &problem, uint32_t operation) : from_(problem) {
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

  const Problem &problem() const { return alone_; }

  /// Bytes with all operands whole in SRAM.
  uint64_t wholeBytes() const {
    const Operation &op = alone_.operations[0];
    uint64_t bytes = alignUp(constantBytes(alone_, op, 0, op.outputs[0].shape.channels));
    for (const Tensor &tensor : alone_.tensors)
      bytes += alignUp(tensor.shape.bytes());
    return bytes;
  }

  /// Whether the operation fits in a few stripes, with operands in DRAM.
  bool fitsInStripes(uint64_t budget) const {
    const Operation &op = alone_.operations[0];
    const uint32_t height = op.outputs[0].shape.height;
    const uint64_t constants = alignUp(constantBytes(alone_, op, 0, op.outputs[0].shape.channels));
    const Plan plan{{}, std::vector<Residency>(alone_.tensors.size(), Residency::Dram)};
    for (uint32_t stripes = 2; op.rowWise && stripes <= std::min(height, kFewStripes); stripes *= 2)
      if (constants + ringBytes(alone_, flowCascade(alone_, plan, {0, 1, (height + stripes - 1) / stripes}, true)) <=
          budget)
        return true;
    return false;
  }

private:
  uint32_t tensor(uint32_t id) {
    auto [entry, isNew] = tensors_.try_emplace(id, uint32_t(alone_.tensors.size()));
    if (isNew)
      alone_.tensors.push_back({from_.tensors[id].shape, entry->second, {}});
    return entry->second;
  }

  uint32_t constant(uint32_t id) {
    auto [entry, isNew] = constants_.try_emplace(id, uint32_t(alone_.constants.size()));
    if (isNew)
      alone_.constants.push_back(from_.constants[id]);
    return entry->second;
  }

  const Problem &from_;
  Problem alone_;
  std::map<uint32_t, uint32_t> tensors_, constants_; ///< by number in the original problem
  uint32_t outputs_ = 0;
};

} // namespace

static bool fitsWithoutState(const Isolation &isolation) {
  const uint64_t budget = cascadeBudget(*isolation.problem().target);
  return isolation.wholeBytes() <= budget || isolation.fitsInStripes(budget) ||
         splitOperation(isolation.problem(), 0, budget, Cut::Independent);
}

bool fitsWithoutState(const Problem &problem, uint32_t operation) {
  return fitsWithoutState(Isolation(problem, operation));
}

std::optional<Misfit> misfitAlone(const Problem &problem, uint32_t operation) {
  const Isolation isolation(problem, operation);
  const uint64_t budget = cascadeBudget(*problem.target);
  // The planner would also find these solutions, but after a longer search.
  if (fitsWithoutState(isolation) || splitOperation(isolation.problem(), 0, budget, Cut::WithState))
    return std::nullopt;
  TileCosts costs(isolation.problem());
  auto plan = Planner(isolation.problem(), costs, budget, 0).plan({.pieces = true, .isolated = true});
  if (std::holds_alternative<Plan>(plan))
    return std::nullopt;
  Misfit misfit = std::get<Misfit>(plan);
  misfit.operation = operation;
  return misfit;
}

} // namespace avocet::compiler::schedule
