//===- Generator.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "Definitions.h"
#include "Evaluation.h"
#include "Recipes.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

/// Draws in a row that may fail before a graph is taken as it is.
constexpr uint32_t kMaxMisses = 100;
/// Percent of the results with a reader that are outputs too: observed values limit what a compiler may fuse.
constexpr uint32_t kObserved = 10;
constexpr uint64_t kSmallTensor = 1024, kLargeTensor = 32768;

/// The device's process has ended, or it does not accept work: no answer about the operation.
bool isGone(ErrorStatus status) {
  return status == ErrorStatus::DeadObject || status == ErrorStatus::DeviceUnavailable;
}

class Generator {
public:
  Generator(uint64_t seed, uint64_t number, IDevice &reference, const IDevice &device)
      : random_(seed * 0x9e3779b97f4a7c15u + number), reference_(reference), device_(device) {}

  GeneratedGraph generate(uint32_t maxOperations) {
    const auto wanted = static_cast<uint32_t>(1 + random_.below(maxOperations));
    maxElements_ = random_.percent(15) ? kLargeTensor : kSmallTensor;
    for (uint32_t misses = 0; made_.graph.operations.size() < wanted && misses < kMaxMisses && made_.lost.empty();)
      misses = drawOperation() ? 0 : misses + 1;
    chooseOutputs();
    return std::move(made_);
  }

private:
  bool drawOperation() {
    const Recipe &recipe = random_.oneOf(allRecipes());
    Draft draft(made_.graph, random_, recipe.type, maxElements_);
    if (!recipe.make(draft))
      return false;
    Graph grown = std::move(draft).finish();
    OperationDraws &draws = made_.draws[recipe.type];
    if (!evaluateLast(grown, reference_)) {
      ++draws.rejected;
      return false;
    }
    const auto support = supportOfLast(grown, device_);
    if (!support && isGone(support.code())) {
      made_.lost = support.error().message;
      return false;
    }
    if (!support || !support->rule.empty()) {
      ++draws.refused;
      return false;
    }
    if (std::string difference = differenceFromDefinition(grown); !difference.empty()) {
      made_.wrong.push_back({lastAlone(grown), std::move(difference)});
      return false;
    }
    ++draws.taken;
    made_.graph = std::move(grown);
    return true;
  }

  /// All results that nothing reads, and some others.
  void chooseOutputs() {
    Graph &graph = made_.graph;
    std::vector<bool> isRead(graph.values.size());
    for (const Operation &operation : graph.operations)
      for (uint32_t input : operation.inputs)
        isRead[input] = true;
    for (const Operation &operation : graph.operations)
      for (uint32_t output : operation.outputs)
        if (!isRead[output] || random_.percent(kObserved))
          graph.outputs.push_back(output);
    graph = pruned(graph);
  }

  Random random_;
  IDevice &reference_;
  const IDevice &device_;
  uint64_t maxElements_ = kSmallTensor;
  GeneratedGraph made_;
};

constexpr UndrawnOperation kUndrawn[] = {
    {OperationType::QuantizedLstm, "its operands admit few quantisations"},
    {OperationType::If, "graphs have one subgraph"},
    {OperationType::While, "graphs have one subgraph"},
};

} // namespace

std::span<const UndrawnOperation> undrawnOperations() { return kUndrawn; }

GeneratedGraph generateGraph(uint64_t seed, uint64_t number, uint32_t maxOperations, IDevice &reference,
                             const IDevice &device) {
  return Generator(seed, number, reference, device).generate(maxOperations);
}

} // namespace avocet::hal::conformance
