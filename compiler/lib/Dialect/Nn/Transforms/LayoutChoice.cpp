//===- LayoutChoice.cpp - Layouts with the fewest transposes ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A minimum cut: nodes on different sides need a transpose of what is between them, which costs its bytes. What a cut
// cannot say, such as a transposed value that readers on both sides share, is left out of it. Each part of the graph
// then compares the exact costs of the cut, of both uniform choices and of the written one.
//
//===----------------------------------------------------------------------===//

#include "LayoutChoice.h"

#include "MinimumCut.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "llvm/ADT/IntEqClasses.h"

#include <map>
#include <set>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// Bytes count first. Of two equal choices, the better one leaves no transpose and no reshape between an operation with
/// an activation and what may become part of it.
constexpr int64_t kByte = 1024, kSeam = 1;

int64_t bytePrice(Value value) {
  constexpr int64_t kMost = int64_t(1) << 32; // sums of prices stay below MinimumCut::kNever
  return kByte * std::min(kMost, tensorOf(value).getNumElements() * bytesOf(elementOf(value)));
}

/// Whether the reader may become part of what makes the root.
bool isSeam(const LayoutRoot &root, const LayoutUse &use) {
  Operation *producer = root.value.getDefiningOp();
  if (!producer || !producer->hasAttr("activation") || !use.node)
    return false;
  Operation *reader = use.node->op;
  const bool hasWeights =
      isa<Conv2dOp, DepthwiseConv2dOp, GroupedConv2dOp, TransposeConv2dOp, FullyConnectedOp>(producer);
  return isa<ClampOp, MinimumOp, MaximumOp, QuantizeOp, RescaleOp>(reader) ||
         (hasWeights && isa<AddOp, SubOp, MulOp>(reader));
}

/// Of the root in one order if it is stored in another one.
int64_t price(const LayoutRoot &root, const Permutation &stored, const Permutation &needed, bool isSeam) {
  if (stored == needed)
    return 0;
  return (isSeam ? kSeam : 0) + (isAlike(shapeOf(root.value), stored, needed) ? 0 : bytePrice(root.value));
}

/// Of a function across lines: a pass over the tensor is about what a transpose costs.
int64_t linePrice(const LayoutNode &node, bool side) {
  return readsAcross(node.op, node.form, node.sides[side]) ? bytePrice(node.op->getResult(0)) : 0;
}

//===----------------------------------------------------------------------===//
// Exact costs
//===----------------------------------------------------------------------===//

struct Cost {
  int64_t transposes = 0, others = 0;
  int64_t sum() const { return transposes + others; }
};

Cost costOf(const LayoutRoot &root) {
  const Permutation stored = root.orderOn(root.producer && root.producer->chosen);
  const ArrayRef<int64_t> shape = shapeOf(root.value);
  std::set<Permutation> seams, transposed;
  for (const LayoutUse &use : root.uses) {
    const Permutation order = use.orderOn(use.node && use.node->chosen);
    if (order == stored || (use.isAbsorbed && stored.front() == 0))
      continue;
    if (isSeam(root, use))
      seams.insert(order);
    // Orders that differ by reshapes share a transpose.
    if (!isAlike(shape, order, stored))
      transposed.insert(movedAxes(shape, order));
  }
  return {static_cast<int64_t>(transposed.size()) * bytePrice(root.value), static_cast<int64_t>(seams.size()) * kSeam};
}

/// Nodes that values connect, and these values.
struct Part {
  SmallVector<LayoutNode *> nodes;
  SmallVector<const LayoutRoot *> roots;

  Cost cost() const {
    Cost sum;
    for (const LayoutRoot *root : roots) {
      const Cost each = costOf(*root);
      sum.transposes += each.transposes;
      sum.others += each.others;
    }
    for (const LayoutNode *node : nodes)
      sum.others += linePrice(*node, node->chosen);
    return sum;
  }

  SmallVector<bool> sides() const {
    return llvm::map_to_vector(nodes, [](const LayoutNode *node) { return node->chosen; });
  }
  void choose(ArrayRef<bool> sides) const {
    for (auto [node, side] : llvm::zip_equal(nodes, sides))
      node->chosen = side;
  }
};

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

class PartCut {
public:
  explicit PartCut(const Part &part) : part_(part) {
    for (const LayoutNode *node : part.nodes) {
      nodes_[node] = cut_.addNode();
      addCost(nodes_[node], false, linePrice(*node, false));
      addCost(nodes_[node], true, linePrice(*node, true));
    }
    for (const LayoutRoot *root : part.roots)
      addRoot(*root);
  }

  std::optional<SmallVector<bool>> solve() {
    const std::optional<std::vector<bool>> sides = cut_.solve();
    if (!sides)
      return std::nullopt;
    return llvm::map_to_vector(part_.nodes,
                               [&](const LayoutNode *node) { return bool((*sides)[nodes_.lookup(node)]); });
  }

private:
  /// Who needs a root in one order.
  struct Readers {
    bool always = false, isSeam = false;
    SmallVector<MinimumCut::Node> on[2]; ///< if they are on this side
  };

  /// A cost of the node on this side.
  void addCost(MinimumCut::Node node, bool side, int64_t cost) {
    if (side)
      cut_.addCost(MinimumCut::kSide0, node, cost);
    else
      cut_.addCost(node, MinimumCut::kSide1, cost);
  }

  /// A node on this side if any of these is. On the other side, it costs nothing.
  MinimumCut::Node anyOf(ArrayRef<MinimumCut::Node> nodes, bool side) {
    if (nodes.size() == 1)
      return nodes.front();
    const MinimumCut::Node any = cut_.addNode();
    for (MinimumCut::Node node : nodes)
      if (side)
        cut_.addCost(any, node, MinimumCut::kNever);
      else
        cut_.addCost(node, any, MinimumCut::kNever);
    return any;
  }

  void addRoot(const LayoutRoot &root) {
    std::map<Permutation, Readers> readers;
    for (const LayoutUse &use : root.uses) {
      if (use.isAbsorbed)
        continue;
      const Permutation side0 = use.orderOn(false), side1 = use.orderOn(true);
      readers[side0].isSeam |= isSeam(root, use);
      readers[side1].isSeam |= isSeam(root, use);
      if (side0 == side1) {
        readers[side0].always = true;
        continue;
      }
      readers[side0].on[0].push_back(nodes_.lookup(use.node));
      readers[side1].on[1].push_back(nodes_.lookup(use.node));
    }
    for (const auto &[order, who] : readers)
      addOrder(root, order, who);
  }

  /// What the root costs in an order, depending on the side of its producer.
  void addOrder(const LayoutRoot &root, const Permutation &order, const Readers &readers) {
    const int64_t costs[2] = {price(root, root.orderOn(false), order, readers.isSeam),
                              price(root, root.orderOn(true), order, readers.isSeam)};
    const bool isFree = root.producer && root.producer->hasChoice();
    const MinimumCut::Node producer = isFree ? nodes_.lookup(root.producer) : MinimumCut::kSide0;
    if (readers.always) {
      if (isFree)
        for (const bool side : {false, true})
          addCost(producer, side, costs[side]);
      return;
    }
    for (const bool side : {false, true}) {
      if (readers.on[side].empty())
        continue;
      const MinimumCut::Node any = anyOf(readers.on[side], side);
      addCost(any, side, std::min(costs[0], costs[1]));
      // A cost of readers on the producer's own side is none of a cut.
      const int64_t more = costs[!side] - costs[side];
      if (!isFree || more <= 0)
        continue;
      if (side)
        cut_.addCost(producer, any, more);
      else
        cut_.addCost(any, producer, more);
    }
  }

  const Part &part_;
  MinimumCut cut_;
  llvm::DenseMap<const LayoutNode *, MinimumCut::Node> nodes_;
};

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Calls `visit` with each node of the root that has a choice.
void forEachChoice(const LayoutRoot &root, llvm::function_ref<void(LayoutNode &)> visit) {
  if (root.producer && root.producer->hasChoice())
    visit(*root.producer);
  for (const LayoutUse &use : root.uses)
    if (use.node && use.node->hasChoice())
      visit(*use.node);
}

std::vector<Part> partsOf(LayoutGraph &graph) {
  llvm::IntEqClasses classes(static_cast<unsigned>(graph.nodes().size()));
  for (const LayoutRoot &root : graph.roots()) {
    std::optional<unsigned> first;
    forEachChoice(root, [&](LayoutNode &node) { first = classes.join(first.value_or(node.index), node.index); });
  }
  classes.compress();
  std::vector<Part> parts(classes.getNumClasses());
  for (LayoutNode &node : graph.nodes())
    if (node.hasChoice())
      parts[classes[node.index]].nodes.push_back(&node);
  for (const LayoutRoot &root : graph.roots()) {
    const LayoutNode *any = nullptr;
    forEachChoice(root, [&](const LayoutNode &node) { any = &node; });
    if (any)
      parts[classes[any->index]].roots.push_back(&root);
  }
  llvm::erase_if(parts, [](const Part &part) { return part.nodes.empty(); });
  return parts;
}

bool improve(const Part &part) {
  SmallVector<bool> best = part.sides();
  const Cost written = part.cost();
  int64_t least = written.sum();
  const size_t size = part.nodes.size();
  bool isBetter = false;
  const auto attempt = [&](const SmallVector<bool> &sides) {
    part.choose(sides);
    if (const Cost cost = part.cost(); cost.sum() < least && cost.transposes <= written.transposes) {
      least = cost.sum();
      best = sides;
      isBetter = true;
    }
  };
  if (const std::optional<SmallVector<bool>> sides = PartCut(part).solve())
    attempt(*sides);
  attempt(SmallVector<bool>(size, false));
  attempt(SmallVector<bool>(size, true));
  part.choose(best);
  return isBetter;
}

} // namespace

bool chooseLayouts(LayoutGraph &graph) {
  bool isBetter = false;
  for (const Part &part : partsOf(graph))
    isBetter |= improve(part);
  return isBetter;
}

} // namespace avocet::compiler::nn
