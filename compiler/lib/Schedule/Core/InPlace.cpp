//===- InPlace.cpp - Results in the places of operands ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

/// Whether an operand is the whole of its tensor, in the tensor's own shape.
static bool isWholeTensor(const Problem &problem, const Operand &operand) {
  return problem.tensors[operand.id].shape == operand.shape && operand.offset == 0 && operand.isDense();
}

/// Whether a result may take the place of an operand, as far as the operation alone can tell.
static bool readsInPlace(const Operation &op, uint32_t index) {
  const Operand &operand = op.inputs[index], &result = op.outputs[0];
  const auto isSame = [&](const Operand &other) { return !other.isConstant && other.id == operand.id; };
  const bool isAligned =
      std::holds_alternative<EltwiseCommand>(op.command) || (op.hasAddend() && index == Operation::kAddendInput);
  return isAligned && !operand.isConstant && operand.shape == result.shape && result.fill < 0 &&
         std::count_if(op.inputs.begin(), op.inputs.end(), isSame) == 1;
}

InPlaceOperands inPlaceOperands(const Problem &problem, uint32_t operation) {
  const Operation &op = problem.operations[operation];
  InPlaceOperands found{kNone, kNone};
  size_t count = isWholeTensor(problem, op.outputs[0]) ? 0 : found.size();
  for (uint32_t i = 0; i < op.inputs.size() && count < found.size(); ++i)
    if (readsInPlace(op, i) && isWholeTensor(problem, op.inputs[i]))
      found[count++] = op.inputs[i].id;
  return found;
}

bool isLastUse(const Problem &problem, const TensorUses &uses, uint32_t tensor, uint32_t operation) {
  // The host still reads a network output, and a store from this place may be under way.
  return problem.tensors[tensor].networkOutputs.empty() && uses.of(tensor).isWritten &&
         uses.of(tensor).reader == operation;
}

bool isReadBefore(const Problem &problem, const RowFlow &flow, uint32_t tensor, uint32_t operation) {
  uint32_t overwritten = 0; // rows
  for (const FlowEvent &event : flow.events) {
    if (event.isLoad)
      continue;
    if (event.id == operation) {
      overwritten = event.rows.end;
      continue;
    }
    const Operation &reader = problem.operations[event.id];
    for (uint32_t i = 0; i < reader.inputs.size() && overwritten > 0; ++i)
      if (const Operand &input = reader.inputs[i]; !input.isConstant && input.id == tensor)
        if (tensorRows(problem, input, inputRows(reader, i, event.rows)).begin < overwritten)
          return false;
  }
  return true;
}

} // namespace avocet::compiler::schedule
