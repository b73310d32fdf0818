//===- ControlFlow.h - IF and WHILE in parts --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_CONTROLFLOW_H
#define AVOCET_VALIDATION_RANDOM_CONTROLFLOW_H

#include "Graph.h"

#include <array>
#include <optional>

namespace avocet::hal::conformance {

inline bool isControlFlow(OperationType type) { return type == OperationType::If || type == OperationType::While; }

/// The operands of an IF or WHILE. Indices are those of the graph that holds the operation.
struct ControlFlow {
  OperationType type = OperationType::If;
  std::optional<uint32_t> chooser; ///< the condition of an IF
  std::array<Graph, 2> graphs;     ///< then and else, or condition and body; both have the same inputs
  std::vector<uint32_t> passed;    ///< one for each input of the subgraphs
  std::vector<uint32_t> outputs;

  bool isLoop() const { return type == OperationType::While; }
  const Graph &condition() const { return graphs[0]; }
  const Graph &body() const { return graphs[1]; }
  /// The passed values that each iteration replaces come first. An IF has none.
  size_t numStates() const { return isLoop() ? body().outputs.size() : 0; }
};

ControlFlow controlFlowOf(const Graph &graph, const Operation &operation);

/// The operation of `flow`, whose subgraphs are added to the values of `graph`.
Operation operationOf(const ControlFlow &flow, Graph &graph);

/// The value of a subgraph, for an operand of an operation.
Value subgraphValue(Graph graph);

/// Inputs of a graph, in order.
std::vector<uint32_t> inputsOf(const Graph &graph);

/// A graph of these inputs, without operations.
Graph inputsAlone(const Graph &graph);

/// For each value whether an operation reads it.
std::vector<bool> valuesRead(const Graph &graph);

/// The graph with exactly these inputs, in this order. Inputs that are left out must not be read.
Graph withInputs(const Graph &graph, const std::vector<uint32_t> &inputs);

/// The passed values `positions` alone, in this order. Those that are left out must not be read.
void passOnly(ControlFlow &flow, const std::vector<size_t> &positions);

/// Removes operations of the subgraphs that no output needs, then passed values that neither subgraph reads. States of
/// a loop stay.
void prune(ControlFlow &flow);

/// Whether two values have the same type, extents and quantization, so that one can replace the other.
bool isSameKind(const Value &a, const Value &b);

/// Whether a value may leave a subgraph: a tensor of a type for which there are operations that make another one like
/// it.
bool mayLeaveSubgraph(const Value &value);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_CONTROLFLOW_H
