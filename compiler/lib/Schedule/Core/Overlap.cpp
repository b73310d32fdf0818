//===- Overlap.cpp - Operations in pieces that overlap ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include "Isolation.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

/// The first load and the last store overlap with nothing, so that more pieces are faster, until their latencies count.
constexpr uint64_t kPieces = 16;
/// Operands of a piece, in bytes: shorter pieces make the program longer than they save time.
constexpr uint64_t kLeastBytes = 4096;
/// A piece needs two copies of its operands.
constexpr uint64_t kCopies = 2;

bool isOutside(const Plan &plan, const Operand &operand) {
  return operand.isConstant || plan.residencies[operand.id] == Residency::Dram;
}

bool mayOverlap(const Problem &problem, const Plan &plan, const Cascade &cascade) {
  const Operation &op = problem.operations[cascade.first];
  const auto areOutside = [&](const std::vector<Operand> &operands) {
    return std::ranges::all_of(operands, [&](const Operand &operand) { return isOutside(plan, operand); });
  };
  const bool hasStripes = op.rowWise && op.outputs[0].shape.height > 1;
  return cascade.end == cascade.first + 1 && !cascade.pieceBytes && !hasStripes && areOutside(op.inputs) &&
         areOutside(op.outputs);
}

} // namespace

std::optional<Plan> withOverlap(const Problem &problem, const Plan &plan) {
  std::optional<Plan> result;
  for (size_t i = 0; i < plan.cascades.size(); ++i) {
    const Cascade &cascade = plan.cascades[i];
    if (problem.pins.cascadeAt(cascade.first) || !mayOverlap(problem, plan, cascade))
      continue;
    const uint64_t bytes = problem.operations[cascade.first].operandBytes();
    const uint64_t budget = std::max(bytes / kPieces, kLeastBytes) * kCopies;
    if (bytes < 2 * kLeastBytes || !splitOperation(problem, cascade.first, budget))
      continue;
    if (!result)
      result = plan;
    result->cascades[i].pieceBytes = budget;
  }
  return result;
}

} // namespace avocet::compiler::schedule
