//===- Simplification.cpp - What a model does not need ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Simplification.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Signatures.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace avocet::nnapi {
namespace {

using hal::OperandLifeTime;

/// Whether an operand is a scalar constant of the model's own bytes with this value.
template <typename T> bool holds(const hal::Model &model, const hal::Operand &operand, T value) {
  T held;
  if (operand.lifetime != OperandLifeTime::ConstantCopy || operand.location.length != sizeof(held))
    return false;
  std::memcpy(&held, model.operandValues.data() + operand.location.offset, sizeof(held));
  return held == value;
}

bool isFalse(const hal::Model &model, const hal::Operand &operand) {
  return operand.type == hal::OperandType::Bool && holds<uint8_t>(model, operand, 0);
}

bool isInteger(const hal::Model &model, const hal::Operand &operand, int32_t value) {
  return operand.type == hal::OperandType::Int32 && holds<int32_t>(model, operand, value);
}

/// Whether the arguments from `first` on have the values that NNAPI defines for omitted ones: minus one of an axis,
/// which is the only argument then; or false of flags, and one of two dilation factors after them.
bool areDefaults(const hal::Model &model, const hal::Operation &operation, size_t first) {
  const size_t count = operation.inputs.size();
  const auto argument = [&](size_t i) -> const hal::Operand & { return model.main.operands[operation.inputs[i]]; };
  if (count - first == 1 && isInteger(model, argument(first), -1))
    return true;
  while (first < count && isFalse(model, argument(first)))
    ++first;
  return first == count ||
         (count - first == 2 && isInteger(model, argument(first), 1) && isInteger(model, argument(first + 1), 1));
}

/// Drops as many as leave a form of the operation: a dilation cannot be given for one direction alone.
void dropDefaults(const hal::Model &model, hal::Operation &operation) {
  const hal::OperationSignature *signature = hal::findSignature(operation.type);
  if (signature == nullptr)
    return;
  for (size_t kept = 0; kept < operation.inputs.size(); ++kept) {
    if (!areDefaults(model, operation, kept))
      continue;
    hal::Operation shorter = operation;
    shorter.inputs.resize(kept);
    if (hal::checkSignature(*signature, hal::OperationView(model, model.main, shorter))) {
      operation = std::move(shorter);
      return;
    }
  }
}

void dropDefaultArguments(hal::Model &model) {
  for (hal::Operation &operation : model.main.operations)
    dropDefaults(model, operation);
}

/// By operand. Operands that are computed, or of the interface, count as used.
std::vector<bool> usedOperands(const hal::Subgraph &graph) {
  std::vector<bool> isUsed(graph.operands.size());
  for (size_t i = 0; i < isUsed.size(); ++i) {
    const OperandLifeTime lifetime = graph.operands[i].lifetime;
    isUsed[i] = lifetime == OperandLifeTime::TemporaryVariable || lifetime == OperandLifeTime::SubgraphInput ||
                lifetime == OperandLifeTime::SubgraphOutput;
  }
  for (const hal::Operation &operation : graph.operations)
    for (uint32_t input : operation.inputs)
      isUsed[input] = true;
  return isUsed;
}

void dropUnusedOperands(hal::Subgraph &graph) {
  const std::vector<bool> isUsed = usedOperands(graph);
  std::vector<uint32_t> numbers(isUsed.size());
  std::vector<hal::Operand> kept;
  for (size_t i = 0; i < isUsed.size(); ++i) {
    numbers[i] = static_cast<uint32_t>(kept.size());
    if (isUsed[i])
      kept.push_back(std::move(graph.operands[i]));
  }
  graph.operands = std::move(kept);
  const auto renumber = [&](std::vector<uint32_t> &indices) {
    for (uint32_t &index : indices)
      index = numbers[index];
  };
  renumber(graph.inputIndexes);
  renumber(graph.outputIndexes);
  for (hal::Operation &operation : graph.operations) {
    renumber(operation.inputs);
    renumber(operation.outputs);
  }
}

/// Moves the values of the remaining constants together, without those that were dropped.
void packValues(hal::Model &model) {
  std::vector<uint8_t> packed;
  const auto move = [&](hal::Subgraph &graph) {
    for (hal::Operand &operand : graph.operands) {
      if (operand.lifetime != OperandLifeTime::ConstantCopy)
        continue;
      packed.resize(roundUp(packed.size(), alignof(std::max_align_t)));
      const auto begin = model.operandValues.begin() + static_cast<std::ptrdiff_t>(operand.location.offset);
      operand.location.offset = packed.size();
      packed.insert(packed.end(), begin, begin + static_cast<std::ptrdiff_t>(operand.location.length));
    }
  };
  move(model.main);
  std::ranges::for_each(model.referenced, move);
  model.operandValues = std::move(packed);
}

} // namespace

void simplify(hal::Model &model) {
  dropDefaultArguments(model);
  const size_t before = model.main.operands.size();
  dropUnusedOperands(model.main);
  if (model.main.operands.size() != before)
    packValues(model);
}

} // namespace avocet::nnapi
