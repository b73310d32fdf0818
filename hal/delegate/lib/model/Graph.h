//===- Graph.h - The interpreter's operators, as a delegate sees them - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of the interpreter's plan and who uses their tensors. Valid in Delegate::prepare only, since adding nodes
// moves the interpreter's own.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_MODEL_GRAPH_H
#define AVOCET_HAL_DELEGATE_LIB_MODEL_GRAPH_H

#include "abi/TfliteC.h"
#include "avocet/base/Status.h"

#include <map>
#include <vector>

namespace avocet::delegate {

struct GraphNode {
  int32_t index; ///< in the interpreter
  abi::Node node;
  abi::Registration registration;
};

class Graph {
public:
  /// All nodes of the plan, in its order. Internal: the interpreter refuses to list them, or lists tensors that it does
  /// not have.
  static Result<Graph> read(abi::Context &context);
  /// Some nodes of the interpreter.
  static Result<Graph> read(abi::Context &context, std::span<const int32_t> nodes);

  /// Whether the interpreter is known to be TensorFlow Lite 2.9 or later.
  bool isSince29() const { return isSince29_; }
  abi::Context &context() const { return *context_; }
  const std::vector<GraphNode> &nodes() const { return nodes_; }
  /// 0 <= index < number of tensors, as are all tensors that nodes name, but for kOptionalTensor.
  const abi::Tensor &tensor(int32_t index) const { return context_->tensors[index]; }
  /// Nodes that read a tensor, an omitted one excluded.
  size_t numReaders(int32_t tensor) const;

private:
  explicit Graph(abi::Context &context);
  Status add(int32_t index);

  abi::Context *context_;
  bool isSince29_;
  std::vector<GraphNode> nodes_;
  std::map<int32_t, size_t> readers_; ///< by tensor
};

/// Whether the bytes are a constant of the model.
inline bool isConstant(const abi::Tensor &tensor) {
  return tensor.allocation == abi::Allocation::ReadOnly && tensor.data != nullptr;
}

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_MODEL_GRAPH_H
