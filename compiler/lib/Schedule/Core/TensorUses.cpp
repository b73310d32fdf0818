//===- TensorUses.cpp - Which operations use a tensor -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorUses.h"

#include "Lowering.h"

#include <algorithm>

namespace avocet::compiler::schedule {

static void addOnce(std::vector<uint32_t> &list, uint32_t tensor) {
  if (std::find(list.begin(), list.end(), tensor) == list.end())
    list.push_back(tensor);
}

TensorUses::TensorUses(const Problem &problem)
    : problem_(problem), ranges_(problem.tensors.size()), reads_(problem.operations.size()),
      writes_(problem.operations.size()) {
  const uint32_t count = uint32_t(problem.operations.size()), burst = problem.target->dram().burstBytes;
  for (uint32_t i = 0; i < count; ++i) {
    const Operation &op = problem.operations[i];
    for (const Operand &input : op.inputs)
      if (!input.isConstant)
        addOnce(reads_[i], input.id);
    if (op.dynamicScale != kNone)
      addOnce(reads_[i], op.dynamicScale);
    for (uint32_t tensor : reads_[i]) {
      ranges_[tensor].reader = i;
      ranges_[tensor].isRead = true;
    }
    for (const Operand &output : op.outputs) {
      addOnce(writes_[i], output.id);
      Range &range = ranges_[output.id];
      const uint64_t least = std::min<uint64_t>(burst, problem.tensors[output.id].shape.bytes());
      const bool isShort = range.hasShortRuns || runBytes(output) < least;
      range = {range.isWritten ? range.writer : i, i, i, true, range.isRead, isShort};
    }
  }
  std::vector<int64_t> change(count + 2, 0);
  for (uint32_t t = 0; t < ranges_.size(); ++t)
    if (ranges_[t].isWritten && ranges_[t].reader > ranges_[t].writer && !isOnlyStored(t)) {
      change[ranges_[t].writer + 1] += int64_t(bytesOf(t));
      change[ranges_[t].reader + 1] -= int64_t(bytesOf(t));
    }
  crossing_.assign(count + 1, 0);
  for (uint32_t i = 1; i <= count; ++i)
    crossing_[i] = uint64_t(int64_t(crossing_[i - 1]) + change[i]);
}

bool TensorUses::isOnlyStored(uint32_t tensor) const {
  return !ranges_[tensor].isRead && !ranges_[tensor].hasShortRuns && !problem_.tensors[tensor].networkOutputs.empty();
}

uint64_t TensorUses::bytesOf(uint32_t tensor) const { return alignUp(problem_.tensors[tensor].shape.bytes()); }

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
    if (event.kind != FlowKind::Tile)
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
