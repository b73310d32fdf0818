//===- Graph.h - A graph whose values are all known -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_GRAPH_H
#define AVOCET_VALIDATION_RANDOM_GRAPH_H

#include "avocet/hal/vectors/VectorFile.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::hal::conformance {

using Dimensions = std::vector<uint32_t>;
uint64_t elementsOf(const Dimensions &dimensions);

enum class ValueRole {
  Input,
  Constant,
  Omitted,  ///< an optional operand without a value
  Result,   ///< of an operation
  Subgraph, ///< of an IF or WHILE
};

struct Graph;

/// An operand with its bytes. Those of a result are what the reference device computed, so that any result can become
/// an input and the graph below it stays the same.
struct Value {
  OperandType type = OperandType::TensorFloat32;
  Dimensions dimensions;
  float scale = 0;
  int32_t zeroPoint = 0;
  std::vector<float> channelScales; ///< of TensorQuant8SymmPerChannel
  uint32_t channelDim = 0;
  ValueRole role = ValueRole::Input;
  bool isOpen = false; ///< a result of whose extents the model does not declare the first
  Bytes bytes;
  std::shared_ptr<const Graph> graph; ///< of a Subgraph; null for others

  uint64_t numElements() const { return elementsOf(dimensions); }
};

/// A model with its inputs and expected outputs, or a subgraph of one. Operations are in executable order; operands are
/// indices of `values`. Inputs are in the order of their values. A subgraph's values are those of one run with the
/// values that are passed to it: of the first iteration of a loop, and also of a branch that is not taken.
struct Graph {
  std::vector<Value> values;
  std::vector<Operation> operations;
  std::vector<uint32_t> outputs; ///< results, each once
};

/// The graph of the outputs alone: without operations that no output needs, and without unused values. The order of
/// what remains is kept.
Graph pruned(const Graph &graph);
/// The same for a subgraph: unused inputs stay, since their number and order is that of the passed values.
Graph prunedSubgraph(const Graph &graph);

/// All operations, with those of subgraphs, in order.
std::vector<OperationType> operationTypes(const Graph &graph);

/// The graph with the result `value` as an input instead; what only its operation needed is gone. Requires that another
/// value is an output, or that an output depends on `value`.
Graph cutAt(const Graph &graph, uint32_t value);

/// Bytes of a .nntv file with one case, whose outputs must have exactly the known values.
Bytes vectorFileOf(const Graph &graph, const std::string &name);

/// The same, read again. The graph must be pruned.
CaseRef caseOf(const Graph &graph, const std::string &name);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_GRAPH_H
