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
#include <string_view>
#include <utility>
#include <vector>

namespace avocet::nnapi {
namespace {

using hal::OperandLifeTime;
using enum hal::OperationType;

/// Arguments that an operation may omit, from position `first` on. Defaults: B false, 1 one, - minus one (INT32).
struct Tail {
  hal::OperationType type;
  size_t first;
  std::string_view defaults;
};

/// Windows have two rows each: implicit and explicit padding.
constexpr Tail kTails[] = {
    {AveragePool2d, 7, "B"},     {AveragePool2d, 10, "B"},
    {BatchToSpaceNd, 2, "B"},    {Conv2d, 7, "B11"},
    {Conv2d, 10, "B11"},         {DepthToSpace, 2, "B"},
    {DepthwiseConv2d, 8, "B11"}, {DepthwiseConv2d, 11, "B11"},
    {L2Normalization, 1, "-"},   {L2Pool2d, 7, "B"},
    {L2Pool2d, 10, "B"},         {LocalResponseNormalization, 5, "-"},
    {MaxPool2d, 7, "B"},         {MaxPool2d, 10, "B"},
    {ResizeBilinear, 3, "BBB"},  {ResizeNearestNeighbor, 4, "BB"},
    {Softmax, 2, "-"},           {SpaceToBatchNd, 3, "B"},
    {SpaceToDepth, 2, "B"},
};

/// Whether an operand is a scalar constant of the model's own bytes with this value.
template <typename T> bool holds(const hal::Model &model, const hal::Operand &operand, T value) {
  T held;
  if (operand.lifetime != OperandLifeTime::ConstantCopy || operand.location.length != sizeof(held))
    return false;
  std::memcpy(&held, model.operandValues.data() + operand.location.offset, sizeof(held));
  return held == value;
}

bool isDefault(const hal::Model &model, const hal::Operand &operand, char value) {
  if (value == 'B')
    return operand.type == hal::OperandType::Bool && holds<uint8_t>(model, operand, 0);
  return operand.type == hal::OperandType::Int32 && holds<int32_t>(model, operand, value == '1' ? 1 : -1);
}

/// How many arguments at the end are the defaults of the row.
size_t countDefaults(const hal::Model &model, const hal::Operation &operation, const Tail &tail) {
  const size_t count = operation.inputs.size();
  if (operation.type != tail.type || count < tail.first || count - tail.first > tail.defaults.size())
    return 0;
  size_t matching = 0;
  while (count - matching > tail.first && isDefault(model, model.main.operands[operation.inputs[count - 1 - matching]],
                                                    tail.defaults[count - 1 - matching - tail.first]))
    ++matching;
  return matching;
}

/// Drops as many as leave a form of the operation: a dilation cannot be given for one direction alone.
void dropDefaults(const hal::Model &model, hal::Operation &operation, size_t most) {
  const hal::OperationSignature *signature = hal::findSignature(operation.type);
  for (size_t dropped = most; dropped > 0; --dropped) {
    hal::Operation shorter = operation;
    shorter.inputs.resize(operation.inputs.size() - dropped);
    if (hal::checkSignature(*signature, hal::OperationView(model, model.main, shorter))) {
      operation = std::move(shorter);
      return;
    }
  }
}

void dropDefaultArguments(hal::Model &model) {
  for (hal::Operation &operation : model.main.operations)
    for (const Tail &tail : kTails)
      dropDefaults(model, operation, countDefaults(model, operation, tail));
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
