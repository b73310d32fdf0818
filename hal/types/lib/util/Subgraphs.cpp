//===- Subgraphs.cpp - The order of subgraphs -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "util/Subgraphs.h"

namespace avocet::hal {

std::vector<size_t> referencesOf(const Subgraph &subgraph, size_t numReferenced) {
  std::vector<size_t> references;
  for (const Operand &operand : subgraph.operands)
    if (operand.lifetime == OperandLifeTime::Subgraph && operand.location.offset < numReferenced)
      references.push_back(operand.location.offset);
  return references;
}

/// The number of references to each subgraph from others.
static std::vector<size_t> countUsers(const std::vector<Subgraph> &referenced) {
  std::vector<size_t> users(referenced.size());
  for (const Subgraph &subgraph : referenced)
    for (size_t target : referencesOf(subgraph, referenced.size()))
      ++users[target];
  return users;
}

/// Kahn's algorithm: repeatedly removes subgraphs without remaining references.
std::vector<size_t> usersFirst(const std::vector<Subgraph> &referenced) {
  std::vector<size_t> users = countUsers(referenced);
  std::vector<size_t> order;
  order.reserve(referenced.size());
  for (size_t i = 0; i < users.size(); ++i)
    if (users[i] == 0)
      order.push_back(i);
  for (size_t next = 0; next < order.size(); ++next)
    for (size_t target : referencesOf(referenced[order[next]], referenced.size()))
      if (--users[target] == 0)
        order.push_back(target);
  return order;
}

} // namespace avocet::hal
