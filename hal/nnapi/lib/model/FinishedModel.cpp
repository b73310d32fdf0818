//===- FinishedModel.cpp - Models inside of models --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/FinishedModel.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Utils.h"
#include "model/ExtensionPrefixes.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace avocet::nnapi {
namespace {

void collectPrefixes(const hal::Subgraph &subgraph, std::set<uint16_t> &prefixes) {
  for (const hal::Operand &operand : subgraph.operands)
    if (hal::isExtension(operand.type))
      prefixes.insert(hal::extensionPrefix(operand.type));
  for (const hal::Operation &operation : subgraph.operations)
    if (hal::isExtension(operation.type))
      prefixes.insert(hal::extensionPrefix(operation.type));
}

} // namespace

hal::Subgraph SubgraphMerger::moved(const hal::Subgraph &subgraph, uint32_t firstPool, uint64_t firstValue,
                                    uint32_t firstSubgraph) const {
  hal::Subgraph copy = subgraph;
  for (hal::Operand &operand : copy.operands) {
    if (operand.lifetime == hal::OperandLifeTime::ConstantCopy)
      operand.location.offset += firstValue;
    else if (operand.lifetime == hal::OperandLifeTime::ConstantReference)
      operand.location.poolIndex += firstPool;
    else if (operand.lifetime == hal::OperandLifeTime::Subgraph)
      operand.location.offset += firstSubgraph;
  }
  return copy;
}

uint32_t SubgraphMerger::add(const FinishedModel &part) {
  if (auto known = known_.find(&part); known != known_.end())
    return known->second;
  const hal::Model &model = part.model;
  const auto firstPool = static_cast<uint32_t>(into_.pools.size());
  // Values of a part keep their alignment.
  into_.operandValues.resize(roundUp(into_.operandValues.size(), 16));
  const uint64_t firstValue = into_.operandValues.size();
  const auto number = static_cast<uint32_t>(into_.referenced.size());
  into_.pools.insert(into_.pools.end(), model.pools.begin(), model.pools.end());
  into_.operandValues.insert(into_.operandValues.end(), model.operandValues.begin(), model.operandValues.end());
  into_.referenced.push_back(moved(model.main, firstPool, firstValue, number + 1));
  for (const hal::Subgraph &subgraph : model.referenced)
    into_.referenced.push_back(moved(subgraph, firstPool, firstValue, number + 1));
  known_[&part] = number;
  return number;
}

std::vector<hal::ExtensionNameAndPrefix> usedExtensions(const hal::Model &model) {
  std::set<uint16_t> prefixes;
  collectPrefixes(model.main, prefixes);
  for (const hal::Subgraph &subgraph : model.referenced)
    collectPrefixes(subgraph, prefixes);
  std::vector<hal::ExtensionNameAndPrefix> used;
  for (hal::ExtensionNameAndPrefix &extension : knownPrefixes())
    if (prefixes.contains(extension.prefix))
      used.push_back(std::move(extension));
  return used;
}

namespace {

bool isComputed(const hal::Operand &operand) {
  return operand.lifetime == hal::OperandLifeTime::TemporaryVariable ||
         operand.lifetime == hal::OperandLifeTime::SubgraphOutput;
}

/// For each operand the operations that read it, and for each operation how many computed inputs are missing.
struct Dependencies {
  explicit Dependencies(const hal::Subgraph &subgraph)
      : readers(subgraph.operands.size()), missing(subgraph.operations.size()) {
    for (uint32_t i = 0; i < missing.size(); ++i)
      for (uint32_t operand : subgraph.operations[i].inputs)
        if (isComputed(subgraph.operands[operand])) {
          readers[operand].push_back(i);
          ++missing[i];
        }
  }
  std::vector<std::vector<uint32_t>> readers;
  std::vector<size_t> missing;
};

} // namespace

ApiResult<std::vector<uint32_t>> sortIntoRunOrder(hal::Subgraph &subgraph) {
  Dependencies dependencies(subgraph);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready; // the smallest number first
  for (uint32_t i = 0; i < dependencies.missing.size(); ++i)
    if (dependencies.missing[i] == 0)
      ready.push(i);
  std::vector<uint32_t> order;
  std::vector<hal::Operation> sorted;
  while (!ready.empty()) {
    const uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    sorted.push_back(subgraph.operations[next]);
    for (uint32_t output : sorted.back().outputs)
      // An operand that two operations write is consumed once; validation refuses it later.
      for (uint32_t reader : std::exchange(dependencies.readers[output], {}))
        if (--dependencies.missing[reader] == 0)
          ready.push(reader);
  }
  if (order.size() != subgraph.operations.size())
    return badData(fmt::format("{} of {} operations need each other's outputs, or an operand that none writes",
                               subgraph.operations.size() - order.size(), subgraph.operations.size()));
  subgraph.operations = std::move(sorted);
  return order;
}

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
