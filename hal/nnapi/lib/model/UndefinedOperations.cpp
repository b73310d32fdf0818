//===- UndefinedOperations.cpp --------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/UndefinedOperations.h"

#include <algorithm>

namespace avocet::nnapi {
namespace {

using hal::OperandLifeTime;

/// The operand has no writer any more: readers get it as an input, and an output disappears.
void detach(hal::Subgraph &subgraph, uint32_t index) {
  hal::Operand &operand = subgraph.operands[index];
  std::erase(subgraph.outputIndexes, index);
  const bool isRead = std::ranges::any_of(subgraph.operations, [&](const hal::Operation &operation) {
    return std::ranges::find(operation.inputs, index) != operation.inputs.end();
  });
  operand.lifetime = isRead ? OperandLifeTime::SubgraphInput : OperandLifeTime::NoValue;
  if (isRead)
    subgraph.inputIndexes.push_back(index);
}

} // namespace

bool isToleratedThoughUndefined(const hal::Subgraph &subgraph, const hal::Operation &operation) {
  return operation.type == hal::OperationType::UnidirectionalSequenceLstm && !operation.inputs.empty() &&
         subgraph.operands[operation.inputs.front()].type == hal::OperandType::TensorQuant8AsymmSigned;
}

hal::Model withoutOperations(const hal::Model &model, const std::vector<uint32_t> &positions) {
  hal::Model reduced = model;
  std::vector<hal::Operation> &operations = reduced.main.operations;
  std::vector<uint32_t> orphans;
  for (uint32_t position : positions)
    orphans.insert(orphans.end(), operations[position].outputs.begin(), operations[position].outputs.end());
  for (auto position = positions.rbegin(); position != positions.rend(); ++position)
    operations.erase(operations.begin() + *position);
  for (uint32_t orphan : orphans)
    detach(reduced.main, orphan);
  return reduced;
}

} // namespace avocet::nnapi
