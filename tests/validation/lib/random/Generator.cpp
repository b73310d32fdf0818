//===- Generator.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "ControlFlow.h"
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
/// Drafts of an operation in a subgraph in a subgraph.
constexpr uint32_t kMaxDepth = 2;
/// Percent of the operations with which a run of views and joins begins, and its longest.
constexpr uint32_t kViewRuns = 8, kMostViews = 6;
/// Percent of the selections of boxes after which rows are computed, and the most operations for that.
constexpr uint32_t kRowRuns = 80, kMostRowOperations = 5;
/// Operations that compute each row of their result from one row, or join rows. Those of two operands would most often
/// read another tensor, whose number of rows is known.
constexpr OperationType kRowOperations[] = {OperationType::Abs,           OperationType::Concatenation,
                                            OperationType::Concatenation, OperationType::Relu,
                                            OperationType::Floor,         OperationType::Tanh};
constexpr uint64_t kSmallTensor = 1024, kLargeTensor = 32768;

bool selectsBoxes(const Operation &operation) {
  return operation.type == OperationType::BoxWithNmsLimit || operation.type == OperationType::GenerateProposals;
}

const Recipe &recipeOf(OperationType type) { return *std::ranges::find(allRecipes(), type, &Recipe::type); }

/// The graph with open results of the operation, and of those that read open ones.
Graph withOpenRows(Graph graph, size_t source) {
  auto isOpen = [&](uint32_t value) { return graph.values[value].isOpen; };
  for (size_t i = source; i < graph.operations.size(); ++i)
    if (const Operation &operation = graph.operations[i]; i == source || std::ranges::any_of(operation.inputs, isOpen))
      for (uint32_t output : operation.outputs)
        graph.values[output].isOpen = !graph.values[output].dimensions.empty();
  return graph;
}

/// The device's process has ended, or it does not accept work: no answer about the operation.
bool isGone(ErrorStatus status) {
  return status == ErrorStatus::DeadObject || status == ErrorStatus::DeviceUnavailable;
}

class Generator final : SubgraphDrawer {
public:
  Generator(uint64_t seed, uint64_t number, IDevice &reference, const IDevice &device)
      : random_(seed * 0x9e3779b97f4a7c15u + number), reference_(reference), device_(device) {}

  GeneratedGraph generate(uint32_t maxOperations) {
    const auto wanted = static_cast<uint32_t>(1 + random_.below(maxOperations));
    maxElements_ = random_.percent(15) ? kLargeTensor : kSmallTensor;
    grow(made_.graph, wanted);
    chooseOutputs();
    openRows();
    return std::move(made_);
  }

private:
  void grow(Graph &graph, uint32_t count) override {
    const size_t wanted = graph.operations.size() + count;
    for (uint32_t misses = 0; graph.operations.size() < wanted && misses < kMaxMisses && made_.lost.empty();) {
      const Recipe &recipe = nextRecipe();
      misses = append(graph, recipe.type, recipe.make) ? 0 : misses + 1;
    }
  }

  /// Views of views and joins of joins are rare by chance alone, since each needs the results of others.
  const Recipe &nextRecipe() {
    if (depth_ == 0 && isRowRun())
      return recipeOf(random_.oneOf(kRowOperations));
    if (viewsLeft_ == 0 && random_.percent(kViewRuns))
      viewsLeft_ = random_.extent(2, kMostViews);
    if (viewsLeft_ == 0)
      return random_.oneOf(allRecipes());
    --viewsLeft_;
    return random_.oneOf(viewRecipes());
  }

  bool mayDraw() const override { return depth_ <= kMaxDepth; }

  bool append(Graph &graph, OperationType type, const std::function<bool(Draft &)> &make) override {
    Draft draft(graph, random_, type, maxElements_, *this);
    if (depth_ == 0 && isRowRun())
      draft.prefer(random_.oneOf(rows_));
    ++depth_;
    const bool isMade = make(draft);
    --depth_;
    const bool isTaken = isMade && take(graph, std::move(draft).finish());
    if (isTaken && depth_ == 0)
      followRows(graph);
    return isTaken;
  }

  bool isRowRun() const { return rowsLeft_ > 0; }

  /// A run after boxes were selected, each operation of which reads the boxes or a result of the run: that rows are
  /// computed from boxes is rare by chance alone.
  void followRows(const Graph &graph) {
    const Operation &last = graph.operations.back();
    if (isRowRun()) {
      --rowsLeft_;
      rows_.insert(rows_.end(), last.outputs.begin(), last.outputs.end());
    } else if (selectsBoxes(last) && random_.percent(kRowRuns)) {
      rows_ = last.outputs;
      rowsLeft_ = random_.extent(1, kMostRowOperations);
    }
  }

  /// Replaces `graph` by `grown`, which has one more operation, unless that is refused.
  bool take(Graph &graph, Graph grown) {
    OperationDraws &draws = made_.draws[grown.operations.back().type];
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
    DefinitionCheck check = compareWithDefinition(grown);
    ++draws.computed;
    draws.compared += check.isCompared;
    if (!check.difference.empty()) {
      made_.wrong.push_back({lastAlone(grown), std::move(check.difference)});
      return false;
    }
    graph = std::move(grown);
    return true;
  }

  /// All results that nothing reads, and some others.
  void chooseOutputs() {
    Graph &graph = made_.graph;
    const std::vector<bool> isRead = valuesRead(graph);
    for (const Operation &operation : graph.operations)
      for (uint32_t output : operation.outputs)
        if (!isRead[output] || random_.percent(kObserved))
          graph.outputs.push_back(output);
    graph = pruned(graph);
  }

  /// Leaves it open how many boxes are selected, where the device can compute what follows.
  void openRows() {
    for (size_t i = 0; i < made_.graph.operations.size(); ++i)
      if (selectsBoxes(made_.graph.operations[i]))
        if (Graph open = withOpenRows(made_.graph, i); isSupported(open, device_))
          made_.graph = std::move(open);
  }

  Random random_;
  IDevice &reference_;
  const IDevice &device_;
  uint64_t maxElements_ = kSmallTensor;
  uint32_t viewsLeft_ = 0;     ///< of the present run
  uint32_t rowsLeft_ = 0;      ///< of a run that computes rows
  std::vector<uint32_t> rows_; ///< boxes, and results of that run
  uint32_t depth_ = 0;         ///< drafts at present, one in a subgraph of the other
  GeneratedGraph made_;
};

} // namespace

GeneratedGraph generateGraph(uint64_t seed, uint64_t number, uint32_t maxOperations, IDevice &reference,
                             const IDevice &device) {
  return Generator(seed, number, reference, device).generate(maxOperations);
}

} // namespace avocet::hal::conformance
