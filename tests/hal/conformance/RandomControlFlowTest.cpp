//===- RandomControlFlowTest.cpp - Branches and loops in random graphs ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestGraphs.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/validation/Runner.h"
#include "random/Evaluation.h"
#include "random/Reducer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAre;

IDevice &cpu() {
  static const std::shared_ptr<IDevice> kDevice =
      *openCpuDevice({.compilerLibrary = "", .cacheDirectory = "", .threads = 1});
  return *kDevice;
}

/// Reduces with values that the CPU computes.
Graph reduce(const Graph &graph, const std::function<bool(const Graph &)> &fails) {
  return reduceGraph(graph, fails, [](Graph &candidate) { return bool(evaluateAll(candidate, cpu())); });
}

template <typename T> T elementOf(const Graph &graph, uint32_t value) {
  T element = 0;
  std::memcpy(&element, graph.values[value].bytes.data(), sizeof(element));
  return element;
}

void set(Graph &graph, uint32_t value, float element) {
  std::memcpy(graph.values[value].bytes.data(), &element, sizeof(element));
}

/// while (i < 3) { i += 1; x = NEG(SQRT(ABS(x))); y = ABS(NEG(y)); } with x = 16, y = -2; outputs i, x and y.
Graph loopOfThree() {
  Graph graph;
  const uint32_t start = constant(graph, 0), x = input(graph), y = input(graph);
  set(graph, x, 16);
  set(graph, y, -2);
  ControlFlow flow;
  flow.type = While;
  flow.passed = {start, x, y};
  for (Graph &subgraph : flow.graphs)
    for (OperandType type : {OperandType::TensorInt32, OperandType::TensorFloat32, OperandType::TensorFloat32})
      input(subgraph, type);
  auto &[condition, body] = flow.graphs;
  condition.outputs = {apply(condition, Less, {0, constant(condition, 3)}, OperandType::TensorBool8)};
  const uint32_t one = constant(body, 1), none = constant(body, 0, true);
  body.outputs = {apply(body, Add, {0, one, none}), applyAll(body, {Abs, Sqrt, Neg}, 1), applyAll(body, {Neg, Abs}, 2)};
  append(graph, flow);
  graph.outputs = graph.operations.back().outputs;
  return graph;
}

TEST(RandomControlFlowTest, LoopRunsUntilItsConditionIsFalse) {
  Graph graph = loopOfThree();
  ASSERT_TRUE(evaluateAll(graph, cpu()));
  EXPECT_EQ(elementOf<int32_t>(graph, graph.outputs[0]), 3);
  EXPECT_EQ(elementOf<float>(graph, graph.outputs[1]), -std::sqrt(2.0f)); // 16, -4, -2
  EXPECT_EQ(elementOf<float>(graph, graph.outputs[2]), 2);
}

TEST(RandomControlFlowTest, EndlessLoopIsRefused) {
  Graph graph = loopOfThree();
  ControlFlow flow = controlFlowOf(graph, graph.operations[0]);
  flow.graphs[1].operations[0].inputs[1] = constant(flow.graphs[1], 0); // i += 0
  graph.operations[0] = operationOf(flow, graph);
  EXPECT_FALSE(evaluateAll(graph, cpu()));
}

TEST(RandomControlFlowTest, IfHasTheValueOfItsBranch) {
  Graph graph;
  const uint32_t x = input(graph);
  set(graph, x, -4);
  graph.outputs = {appendIf(graph, x, {Abs, Sqrt}, {Neg})};
  const uint32_t chooser = graph.operations[0].inputs[0];
  for (uint8_t truth : {1, 0}) {
    graph.values[chooser].bytes = {truth};
    ASSERT_TRUE(evaluateAll(graph, cpu()));
    EXPECT_EQ(elementOf<float>(graph, graph.outputs[0]), truth ? 2 : 4);
  }
}

TEST(RandomControlFlowTest, FileHoldsNestedSubgraphs) {
  Graph inner;
  inner.outputs = {appendIf(inner, input(inner), {Abs}, {Neg})};
  Graph graph;
  ControlFlow flow;
  flow.chooser = input(graph, OperandType::TensorBool8);
  flow.passed = {input(graph), inputsOf(graph).front()};
  flow.graphs = {inner, inner};
  append(graph, flow);
  graph.outputs = graph.operations.back().outputs;
  ASSERT_TRUE(evaluateAll(graph, cpu()));
  auto test = caseOf(graph, "nested").file->make(0, Form::AsWritten);
  ASSERT_TRUE(test.isOk());
  EXPECT_THAT(test->model.referenced, SizeIs(6));
  RunnerOptions options;
  options.kinds = KindSet().add(RunKind::General);
  EXPECT_EQ(runCase(cpu(), caseOf(graph, "nested"), options).verdict(), Verdict::Passed);
}

/// ABS; then an IF of (EXP, NEG, SIN) or (FLOOR, FLOOR).
Graph branch() {
  Graph graph;
  graph.outputs = {appendIf(graph, apply(graph, Abs, {input(graph)}), {Exp, Neg, Sin}, {Floor, Floor})};
  EXPECT_TRUE(evaluateAll(graph, cpu()));
  return graph;
}

TEST(RandomControlFlowTest, BranchReplacesIf) {
  for (OperationType type : {Abs, Exp, Neg, Sin, Floor})
    EXPECT_THAT(operationTypes(reduce(branch(), [&](const Graph &graph) { return has(graph, type); })),
                ElementsAre(type));
}

TEST(RandomControlFlowTest, NeededIfKeepsOneOperation) {
  for (OperationType type : {Exp, Neg, Sin}) {
    const Graph reduced = reduce(branch(), [&](const Graph &graph) { return has(graph, If) && has(graph, type); });
    EXPECT_THAT(operationTypes(reduced), ElementsAre(If, type, testing::_));
    EXPECT_LE(controlFlowOf(reduced, reduced.operations[0]).passed.size(), 2u);
  }
}

TEST(RandomControlFlowTest, BodyReplacesLoop) {
  const Graph graph = loopOfThree();
  for (OperationType type : {Abs, Sqrt, Less, Add})
    EXPECT_THAT(operationTypes(reduce(graph, [&](const Graph &candidate) { return has(candidate, type); })),
                ElementsAre(type));
}

TEST(RandomControlFlowTest, NeededLoopKeepsOneState) {
  for (OperationType type : {Abs, Sqrt, Neg}) {
    const Graph reduced =
        reduce(loopOfThree(), [&](const Graph &graph) { return has(graph, While) && has(graph, type); });
    EXPECT_THAT(operationTypes(reduced), UnorderedElementsAre(While, Less, Add, type));
    EXPECT_EQ(controlFlowOf(reduced, reduced.operations[0]).numStates(), 2u);
  }
}

TEST(RandomControlFlowTest, NeededConditionIsReducedToOneOperation) {
  Graph graph = loopOfThree();
  ControlFlow flow = controlFlowOf(graph, graph.operations[0]);
  Graph &condition = flow.graphs[0];
  const uint32_t isBelow = condition.outputs.front();
  const uint32_t isNegative = apply(condition, Less, {1, 2}, OperandType::TensorBool8);
  condition.outputs = {apply(condition, LogicalOr, {isBelow, isNegative})};
  condition.outputs = {apply(condition, LogicalAnd, {condition.outputs.front(), isBelow})};
  graph.operations[0] = operationOf(flow, graph);
  graph = pruned(graph);
  ASSERT_TRUE(evaluateAll(graph, cpu()));
  const Graph reduced =
      reduce(graph, [](const Graph &candidate) { return has(candidate, While) && has(candidate, Less); });
  EXPECT_THAT(operationTypes(reduced), UnorderedElementsAre(While, Less, Add));
}

TEST(RandomControlFlowTest, InnerIfIsReducedInItsBranch) {
  Graph graph;
  ControlFlow flow;
  flow.chooser = input(graph, OperandType::TensorBool8);
  flow.passed = {input(graph), inputsOf(graph).front()};
  for (Graph &subgraph : flow.graphs) {
    const uint32_t x = input(subgraph), chooser = input(subgraph, OperandType::TensorBool8);
    subgraph.outputs = {appendIf(subgraph, x, {Exp, Neg, Sin}, {Floor, Sin})};
    subgraph.operations.back().inputs.front() = chooser;
    subgraph = withInputs(prunedSubgraph(subgraph), {x, chooser});
  }
  append(graph, flow);
  graph.outputs = graph.operations.back().outputs;
  ASSERT_TRUE(evaluateAll(graph, cpu()));
  const Graph reduced = reduce(graph, [](const Graph &candidate) {
    const std::vector<OperationType> types = operationTypes(candidate);
    return std::ranges::count(types, If) >= 2 && has(candidate, Neg);
  });
  EXPECT_THAT(operationTypes(reduced), SizeIs(5));
}

} // namespace
} // namespace avocet::hal::conformance
