//===- LayoutGraph.h - Which layouts operations can have --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a block without its transposes. Each value is the root of all transposed forms of it; operations
// read their roots in some order of axes. Operations whose axes can be exchanged (LayoutInterface) and that are
// connected with a transpose have a choice of two layouts: the written one, and the one on the other side of it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_LAYOUTGRAPH_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_LAYOUTGRAPH_H

#include "Permutations.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <deque>
#include <vector>

namespace avocet::compiler::nn {

/// A value as another one with its axes in another order.
struct AxesView {
  mlir::Value root;
  Permutation order;
};

/// The transposed values of a block.
class AxesViews {
public:
  explicit AxesViews(mlir::Block &block);

  AxesView of(mlir::Value value) const;
  /// In the order of the block.
  llvm::ArrayRef<TransposeOp> transposes() const { return transposes_; }

private:
  llvm::DenseMap<mlir::Value, AxesView> views_;
  llvm::SmallVector<TransposeOp> transposes_;
};

/// Whether both orders of a tensor's axes leave its elements in the same places.
bool isAlike(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Whether the value is a constant that can be transposed now.
bool isMovableConstant(mlir::Value value);

/// An operation whose axes can be exchanged.
struct LayoutNode {
  mlir::Operation *op;
  LayoutForm form;
  AxisOrder sides[2] = {}; ///< empty: it has no choice
  bool written = false;    ///< the side that is the network's own order
  bool chosen = false;     ///< a side
  unsigned index = 0;      ///< in the graph

  bool hasChoice() const { return !sides[0].empty(); }
};

/// An operand.
struct LayoutUse {
  LayoutNode *node; ///< null: the operation keeps its layout
  unsigned operand;
  Permutation order; ///< of the root's axes, as the network has it
  bool isAbsorbed;   ///< the reader's weights can have any order of the root's axes but the first

  /// Of the root's axes, on one side.
  Permutation orderOn(bool side) const;
};

/// A value that is no transposed one, and its readers.
struct LayoutRoot {
  mlir::Value value;
  LayoutNode *producer; ///< null: another operation or block makes it
  std::vector<LayoutUse> uses = {};

  Permutation orderOn(bool side) const;
};

class LayoutGraph {
public:
  LayoutGraph(mlir::Block &block, const AxesViews &views);

  std::deque<LayoutNode> &nodes() { return nodes_; }
  std::vector<LayoutRoot> &roots() { return roots_; }

private:
  void addNode(mlir::Operation *op);
  void addUses(mlir::Operation *op, mlir::Block &block, const AxesViews &views);
  size_t rootOf(mlir::Value value);
  void findChoices();
  void drain();
  void offerNeighbors(LayoutNode &node);
  /// Gives the producer of the root a choice, if it can make one of these orders and the root has the other one.
  void offerProducer(const LayoutRoot &root, const Permutation &side0, const Permutation &side1);
  void offerReader(const LayoutRoot &root, const LayoutUse &use, const Permutation &side0, const Permutation &side1);
  void give(LayoutNode &node, bool written, const std::optional<AxisOrder> &other);

  std::deque<LayoutNode> nodes_;
  std::vector<LayoutRoot> roots_;
  llvm::DenseMap<mlir::Operation *, LayoutNode *> nodeOf_;
  llvm::DenseMap<mlir::Value, size_t> rootOf_;
  /// Of each node: a root, and the node among its readers.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::pair<size_t, size_t>, 2>> operands_;
  std::vector<LayoutNode *> waiting_;
};

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_LAYOUTGRAPH_H
