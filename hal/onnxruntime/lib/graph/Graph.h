//===- Graph.h - A graph of the runtime -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime shows of a graph, read once. It is valid as long as the runtime's graph is.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_GRAPH_GRAPH_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_GRAPH_GRAPH_H

#include "abi/Runtime.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avocet::ort {

struct Value {
  std::string name;
  int32_t element = 0;                       ///< number of the format (TensorProto.DataType); 0: it is no tensor
  std::optional<std::vector<int64_t>> shape; ///< -1: an unknown extent; empty: the rank is not known
  std::vector<std::string> extentNames;      ///< of the shape; empty texts: none
  bool isConstant = false;                   ///< an initializer that no input can replace
  bool isOutput = false;                     ///< of the graph
  const abi::ValueInfo *info = nullptr;

  /// Whether all extents are known.
  bool isFixed() const;
};

struct Node {
  size_t id = 0; ///< unique in the graph, also in views of it
  std::string name, type, domain;
  std::string provider;                       ///< that has the node; empty: none yet
  std::vector<const Value *> inputs, outputs; ///< null: left out
  std::vector<const Value *> implicit;        ///< that graphs in its attributes read
  const abi::Node *node = nullptr;
};

class Graph {
public:
  static Result<Graph> read(const Runtime &runtime, const abi::Graph &graph);

  const Runtime &runtime() const { return runtime_; }
  const abi::Graph &get() const { return *graph_; }
  const std::vector<Node> &nodes() const { return nodes_; } ///< in topological order
  /// Null: there is none.
  const Node *node(size_t id) const;
  const std::vector<std::pair<std::string, int64_t>> &operatorSets() const { return operatorSets_; }
  const std::vector<const Value *> &inputs() const { return inputs_; }
  const std::vector<const Value *> &outputs() const { return outputs_; }
  /// Of this graph, not of those around it.
  const std::vector<const Value *> &initializers() const { return initializers_; }
  bool isNested() const { return isNested_; } ///< in an attribute of a node

private:
  Graph(const Runtime &runtime, const abi::Graph &graph) : runtime_(runtime), graph_(&graph) {}
  Status readOperatorSets();
  Status readNode(const abi::Node &node);
  Result<const Value *> valueOf(const abi::ValueInfo *info);
  Status readType(Value &value) const;
  template <typename Count, typename List, typename Object>
  Result<std::vector<const Value *>> values(const Object &object);
  /// Those of the graph, none of which is left out.
  template <typename Count, typename List> Result<std::vector<const Value *>> ownValues();

  Runtime runtime_;
  const abi::Graph *graph_;
  std::vector<Node> nodes_;
  std::map<size_t, size_t> places_; ///< of nodes, by id
  std::map<std::string, std::unique_ptr<Value>, std::less<>> values_;
  std::vector<const Value *> inputs_, outputs_, initializers_;
  std::vector<std::pair<std::string, int64_t>> operatorSets_;
  bool isNested_ = false;
};

/// "node 'conv1' (Conv)"
std::string describe(const Node &node);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_GRAPH_GRAPH_H
