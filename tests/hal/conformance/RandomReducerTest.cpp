//===- RandomReducerTest.cpp ----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The reducer on graphs without computed values.

#include "TestGraphs.h"
#include "random/Reducer.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using testing::ElementsAre;
using testing::IsEmpty;

/// These steps change no value.
Graph reduce(const Graph &graph, const std::function<bool(const Graph &)> &fails) {
  return reduceGraph(graph, fails, [](Graph &) { return false; });
}

/// ABS, NEG, EXP, SIN in a chain, and LOG beside them.
Graph chain() {
  Graph graph;
  const uint32_t start = input(graph);
  uint32_t value = start;
  for (OperationType type : {Abs, Neg, Exp, Sin})
    value = apply(graph, type, {value});
  graph.outputs = {value, apply(graph, Log, {start})};
  return graph;
}

TEST(RandomReducerTest, KeepsWhatFails) {
  EXPECT_THAT(operationTypes(reduce(chain(), [](const Graph &graph) { return has(graph, Neg); })), ElementsAre(Neg));
  auto needsTwo = [](const Graph &graph) { return has(graph, Neg) && has(graph, Exp); };
  EXPECT_THAT(operationTypes(reduce(chain(), needsTwo)), ElementsAre(Neg, Exp));
}

TEST(RandomReducerTest, KeepsBranchesThatAreNeededTogether) {
  auto needsBoth = [](const Graph &graph) { return has(graph, Sin) && has(graph, Log); };
  EXPECT_THAT(operationTypes(reduce(chain(), needsBoth)), ElementsAre(Sin, Log));
}

TEST(RandomReducerTest, CutValueBecomesAnInput) {
  const Graph cut = cutAt(chain(), 2); // the result of NEG
  EXPECT_THAT(operationTypes(cut), ElementsAre(Exp, Sin, Log));
  EXPECT_EQ(std::ranges::count(cut.values, ValueRole::Input, &Value::role), 2);
  for (const Operation &operation : cut.operations)
    for (uint32_t operand : operation.inputs)
      EXPECT_LT(operand, cut.values.size());
}

TEST(RandomReducerTest, OtherResultsOfACutOperationStay) {
  Graph graph;
  const uint32_t start = input(graph);
  const uint32_t first = apply(graph, TopkV2, {start});
  const uint32_t second = input(graph);
  graph.values[second].role = ValueRole::Result;
  graph.operations[0].outputs.push_back(second);
  graph.outputs = {apply(graph, Neg, {first}), second};
  const Graph cut = cutAt(graph, first);
  EXPECT_THAT(operationTypes(cut), ElementsAre(TopkV2, Neg));
  EXPECT_NE(cut.operations[0].outputs[0], cut.operations[1].inputs[0]);
  EXPECT_EQ(cut.values[cut.operations[1].inputs[0]].role, ValueRole::Input);
}

TEST(RandomReducerTest, PruningRemovesUnusedValues) {
  Graph graph = chain();
  input(graph);
  graph.outputs.pop_back();
  const Graph small = pruned(graph);
  EXPECT_EQ(small.values.size(), 5u);
  EXPECT_THAT(operationTypes(small), ElementsAre(Abs, Neg, Exp, Sin));
  graph.outputs.clear();
  EXPECT_THAT(pruned(graph).operations, IsEmpty());
}

} // namespace
} // namespace avocet::hal::conformance
