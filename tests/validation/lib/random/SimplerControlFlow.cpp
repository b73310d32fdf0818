//===- SimplerControlFlow.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimplerControlFlow.h"

#include "ControlFlow.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Inputs and outputs of a subgraph are those of the operation that refers to it: only inputs may be added, as the
/// last.
enum class Level { Main, Subgraph };

uint32_t add(Graph &graph, Value value, ValueRole role) {
  value.role = role;
  graph.values.push_back(std::move(value));
  return static_cast<uint32_t>(graph.values.size() - 1);
}

void removeFrom(std::vector<uint32_t> &list, size_t position) {
  list.erase(list.begin() + static_cast<ptrdiff_t>(position));
}

/// Results that no operation makes any more are inputs.
void replaceResults(Graph &graph, const std::vector<uint32_t> &results) {
  for (uint32_t result : results) {
    graph.values[result].role = ValueRole::Input;
    std::erase(graph.outputs, result);
  }
}

/// A copy of a graph in which the parts of one operation change.
class FlowEdit {
public:
  FlowEdit(const Graph &graph, size_t position)
      : flow(controlFlowOf(graph, graph.operations[position])), graph_(graph), position_(position) {}

  ControlFlow flow;

  /// A new input of the graph becomes the last passed value.
  void pass(const Value &value) {
    flow.passed.push_back(add(graph_, value, ValueRole::Input));
    for (Graph &subgraph : flow.graphs)
      add(subgraph, value, ValueRole::Input);
  }

  void replaceSubgraph(size_t which, Graph subgraph) {
    const std::vector<uint32_t> inputs = inputsOf(subgraph);
    const size_t known = flow.passed.size();
    for (size_t i = known; i < inputs.size(); ++i)
      pass(subgraph.values[inputs[i]]);
    flow.graphs[which] = std::move(subgraph);
  }

  /// New results for `likes`, of which the last is the only output of the graph.
  void giveOnly(const std::vector<Value> &likes) {
    flow.outputs.clear();
    for (const Value &like : likes)
      flow.outputs.push_back(add(graph_, like, ValueRole::Result));
    graph_.outputs = {flow.outputs.back()};
  }

  Graph finish(Level level) {
    prune(flow);
    std::vector<uint32_t> gone = graph_.operations[position_].outputs;
    std::erase_if(gone, [&](uint32_t value) { return std::ranges::find(flow.outputs, value) != flow.outputs.end(); });
    replaceResults(graph_, gone);
    if (graph_.outputs.empty()) // all were results that are gone
      graph_.outputs = flow.outputs;
    graph_.operations[position_] = operationOf(flow, graph_);
    return level == Level::Main ? pruned(graph_) : prunedSubgraph(graph_);
  }

private:
  Graph graph_;
  size_t position_;
};

/// The operations of a subgraph instead of the operation that refers to it.
class Inliner {
public:
  Inliner(const Graph &graph, size_t position, size_t which)
      : graph_(graph), position_(position), flow_(controlFlowOf(graph, graph.operations[position])),
        inner_(flow_.graphs[which]), isCondition_(flow_.isLoop() && which == 0) {}

  Graph inlined(Level level) {
    addValues();
    giveResults();
    const auto place = graph_.operations.erase(graph_.operations.begin() + static_cast<ptrdiff_t>(position_));
    std::vector<Operation> moved = inner_.operations;
    for (Operation &operation : moved)
      for (auto *list : {&operation.inputs, &operation.outputs})
        for (uint32_t &value : *list)
          value = number_[value];
    graph_.operations.insert(place, moved.begin(), moved.end());
    return level == Level::Main ? pruned(graph_) : prunedSubgraph(graph_);
  }

private:
  void addValues() {
    auto passed = flow_.passed.begin();
    for (const Value &value : inner_.values)
      number_.push_back(value.role == ValueRole::Input ? *passed++ : add(graph_, value, value.role));
  }

  /// The condition of a loop computes none of its results: its own becomes an output.
  void giveResults() {
    if (isCondition_) {
      replaceResults(graph_, flow_.outputs);
      graph_.outputs.push_back(number_[inner_.outputs.front()]);
      return;
    }
    for (size_t i = 0; i < flow_.outputs.size(); ++i)
      number_[inner_.outputs[i]] = flow_.outputs[i];
  }

  Graph graph_;
  size_t position_;
  ControlFlow flow_;
  const Graph &inner_;
  bool isCondition_;
  std::vector<uint32_t> number_; ///< of each inner value in the graph
};

/// Results of a subgraph whose values are known, which those that a step adds are not.
std::vector<uint32_t> knownResults(const Graph &subgraph) {
  std::vector<uint32_t> results;
  for (uint32_t i = 0; i < subgraph.values.size(); ++i)
    if (subgraph.values[i].role == ValueRole::Result && !subgraph.values[i].bytes.empty())
      results.push_back(i);
  return results;
}

/// The result as a new, last input for the operations that read it.
Graph withResultPassed(Graph subgraph, uint32_t result) {
  const uint32_t passed = add(subgraph, subgraph.values[result], ValueRole::Input);
  for (Operation &operation : subgraph.operations)
    std::ranges::replace(operation.inputs, result, passed);
  return prunedSubgraph(subgraph);
}

/// A result of the same kind as an output, instead of it.
void addOtherOutputs(const Graph &subgraph, uint32_t result, std::vector<Graph> &made) {
  if (std::ranges::find(subgraph.outputs, result) != subgraph.outputs.end())
    return;
  for (size_t i = 0; i < subgraph.outputs.size(); ++i)
    if (isSameKind(subgraph.values[subgraph.outputs[i]], subgraph.values[result])) {
      Graph other = subgraph;
      other.outputs[i] = result;
      made.push_back(prunedSubgraph(other));
    }
}

std::vector<Graph> simpler(const Graph &graph, Level level);

std::vector<Graph> simplerSubgraphs(const Graph &subgraph) {
  std::vector<Graph> made = simpler(subgraph, Level::Subgraph);
  const std::vector<bool> isRead = valuesRead(subgraph);
  for (uint32_t result : knownResults(subgraph)) {
    addOtherOutputs(subgraph, result, made);
    if (isRead[result])
      made.push_back(withResultPassed(subgraph, result));
  }
  return made;
}

/// value + value, or value && value
uint32_t appendSimple(Graph &graph, uint32_t value) {
  const Value like = graph.values[value];
  Operation operation{like.type == OperandType::TensorBool8 ? LogicalAnd : Add, {value, value}, {}};
  if (operation.type == Add) {
    Value activation;
    activation.type = OperandType::Int32;
    activation.bytes = Bytes(4); // none
    operation.inputs.push_back(add(graph, activation, ValueRole::Constant));
  }
  const uint32_t result = add(graph, like, ValueRole::Result);
  graph.values[result].bytes.clear();
  operation.outputs = {result};
  graph.operations.push_back(std::move(operation));
  return result;
}

/// A branch of one operation for each output.
void makeSimple(FlowEdit &edit, size_t which, const std::vector<Value> &outputs) {
  Graph &branch = edit.flow.graphs[which];
  branch = inputsAlone(branch);
  for (const Value &output : outputs) {
    edit.pass(output);
    branch.outputs.push_back(appendSimple(branch, static_cast<uint32_t>(branch.values.size() - 1)));
  }
}

std::vector<Value> outputValues(const Graph &subgraph) {
  std::vector<Value> values;
  for (uint32_t output : subgraph.outputs)
    values.push_back(subgraph.values[output]);
  return values;
}

/// Changes to one IF of the main graph.
void addSimplerBranches(const Graph &graph, size_t position, std::vector<Graph> &made) {
  const ControlFlow flow = controlFlowOf(graph, graph.operations[position]);
  for (size_t which : {0, 1}) {
    const std::vector<Value> outputs = outputValues(flow.graphs[which]);
    if (std::ranges::none_of(outputs, [](const Value &value) { return value.bytes.empty(); })) {
      FlowEdit edit(graph, position);
      makeSimple(edit, which, outputs);
      made.push_back(edit.finish(Level::Main));
    }
    for (uint32_t result : knownResults(flow.graphs[which]))
      if (const Value &value = flow.graphs[which].values[result]; mayLeaveSubgraph(value)) {
        FlowEdit edit(graph, position);
        edit.flow.graphs[which].outputs = {result};
        makeSimple(edit, 1 - which, {value});
        edit.giveOnly({value});
        made.push_back(edit.finish(Level::Main));
      }
  }
  for (size_t i = 0; flow.outputs.size() > 1 && i < flow.outputs.size(); ++i) {
    FlowEdit edit(graph, position);
    for (Graph &subgraph : edit.flow.graphs)
      removeFrom(subgraph.outputs, i);
    removeFrom(edit.flow.outputs, i);
    made.push_back(edit.finish(Level::Main));
  }
}

/// These passed values first, then the others.
void passFirst(ControlFlow &flow, std::vector<size_t> first) {
  for (size_t i = 0, given = first.size(); i < flow.passed.size(); ++i)
    if (std::find(first.begin(), first.begin() + static_cast<ptrdiff_t>(given), i) ==
        first.begin() + static_cast<ptrdiff_t>(given))
      first.push_back(i);
  passOnly(flow, first);
}

Graph withoutState(const Graph &graph, size_t position, size_t state) {
  FlowEdit edit(graph, position);
  std::vector<size_t> others;
  for (size_t i = 0; i < edit.flow.numStates(); ++i)
    if (i != state)
      others.push_back(i);
  removeFrom(edit.flow.graphs[1].outputs, state);
  if (state < edit.flow.outputs.size())
    removeFrom(edit.flow.outputs, state);
  passFirst(edit.flow, others);
  return edit.finish(Level::Main);
}

/// States that the condition reads, and the value of the body as another one.
Graph withOnlyState(const Graph &graph, size_t position, uint32_t value) {
  FlowEdit edit(graph, position);
  ControlFlow &flow = edit.flow;
  const std::vector<bool> isRead = valuesRead(flow.condition());
  const std::vector<uint32_t> inputs = inputsOf(flow.condition());
  std::vector<size_t> states;
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < flow.numStates(); ++i)
    if (isRead[inputs[i]] && flow.body().outputs[i] != value) {
      states.push_back(i);
      outputs.push_back(flow.body().outputs[i]);
    }
  outputs.push_back(value);
  flow.graphs[1].outputs = outputs;
  states.push_back(flow.passed.size());
  edit.pass(flow.body().values[value]);
  edit.giveOnly(outputValues(flow.body()));
  passFirst(flow, states);
  return edit.finish(Level::Main);
}

/// Changes to one WHILE of the main graph.
void addSimplerLoops(const Graph &graph, size_t position, std::vector<Graph> &made) {
  const ControlFlow flow = controlFlowOf(graph, graph.operations[position]);
  for (uint32_t result : knownResults(flow.body()))
    if (mayLeaveSubgraph(flow.body().values[result]))
      made.push_back(withOnlyState(graph, position, result));
  const bool hasOneResult = flow.outputs.size() == 1;
  for (size_t state = hasOneResult ? 1 : 0; flow.numStates() > 1 && state < flow.numStates(); ++state)
    made.push_back(withoutState(graph, position, state));
}

std::vector<Graph> simpler(const Graph &graph, Level level) {
  std::vector<Graph> made;
  for (size_t position = 0; position < graph.operations.size(); ++position) {
    const Operation &operation = graph.operations[position];
    if (!isControlFlow(operation.type))
      continue;
    const ControlFlow flow = controlFlowOf(graph, operation);
    for (size_t which : {1, 0}) {
      // The result of a condition would be one more output.
      if (level == Level::Main || !flow.isLoop() || which == 1)
        made.push_back(Inliner(graph, position, which).inlined(level));
      for (Graph &subgraph : simplerSubgraphs(flow.graphs[which])) {
        FlowEdit edit(graph, position);
        edit.replaceSubgraph(which, std::move(subgraph));
        made.push_back(edit.finish(level));
      }
    }
    if (level == Level::Main)
      (flow.isLoop() ? addSimplerLoops : addSimplerBranches)(graph, position, made);
  }
  return made;
}

} // namespace

std::vector<Graph> withSimplerControlFlow(const Graph &graph) { return simpler(graph, Level::Main); }

} // namespace avocet::hal::conformance
