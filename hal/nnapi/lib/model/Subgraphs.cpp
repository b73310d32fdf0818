//===- Subgraphs.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Subgraphs.h"

#include "avocet/hal/types/Utils.h"
#include "model/ExtensionPrefixes.h"

#include <set>

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
  into_.operandValues.resize((into_.operandValues.size() + 15) / 16 * 16);
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

} // namespace avocet::nnapi
