//===- RunOrder.cpp -------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/RunOrder.h"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <utility>

namespace avocet::nnapi {
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

} // namespace avocet::nnapi
