//===- LayoutGraph.cpp - Which layouts operations can have ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutGraph.h"

#include "Permutations.h"
#include "ReorderedConstants.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"

using namespace mlir;

namespace avocet::compiler::nn {

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

AxesViews::AxesViews(Block &block) {
  for (auto op : block.getOps<TransposeOp>()) {
    const AxesView input = of(op.getInput());
    views_.try_emplace(op.getOutput(), AxesView{input.root, after(op.getPermutation(), input.order)});
    transposes_.push_back(op);
  }
}

AxesView AxesViews::of(Value value) const {
  const auto known = views_.find(value);
  if (known != views_.end())
    return known->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return {value, identity(type ? type.getRank() : 0)};
}

bool isAlike(ArrayRef<int64_t> shape, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a == b || movedAxes(shape, a) == movedAxes(shape, b);
}

bool isMovableConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && hasBytes(constant) && !isa<quant::UniformQuantizedPerAxisType>(elementOf(value));
}

Permutation LayoutUse::orderOn(bool side) const {
  return node && node->hasChoice() ? after(tensorOrder(*node->form.operands[operand], node->sides[side]), order)
                                   : order;
}

Permutation LayoutRoot::orderOn(bool side) const {
  if (!producer || !producer->hasChoice())
    return identity(shapeOf(value).size());
  const unsigned result = cast<OpResult>(value).getResultNumber();
  return tensorOrder(*producer->form.results[result], producer->sides[side]);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {

/// Whether a tensor that follows the order has scales along an axis, which would have to follow too.
bool hasChannelScales(ValueRange values, ArrayRef<TensorAxes> axes) {
  return llvm::any_of(llvm::zip(values, axes), [](const auto &each) {
    const auto &[value, own] = each;
    return own && isa<quant::UniformQuantizedPerAxisType>(elementOf(value));
  });
}

/// Whether a layer with weights of its own reads the rows of the flattened value, and nothing else does.
bool isFlattenedForWeights(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || reshape->use_empty() || reshape.getShape().size() != 2 ||
      reshape.getShape().front() != shapeOf(reshape.getInput()).front())
    return false;
  return llvm::all_of(reshape->getUses(), [](OpOperand &use) {
    auto layer = dyn_cast<FullyConnectedOp>(use.getOwner());
    auto filter = layer ? layer.getFilter().getDefiningOp<ConstantOp>() : ConstantOp();
    return filter && use.getOperandNumber() == 0 && filter->hasOneUse() && hasBytes(filter) &&
           shapeOf(layer.getFilter()).back() == shapeOf(use.get()).back();
  });
}

} // namespace

LayoutGraph::LayoutGraph(Block &block, const AxesViews &views) {
  for (Operation &op : block)
    addNode(&op);
  for (Operation &op : block)
    addUses(&op, block, views);
  findChoices();
}

void LayoutGraph::addNode(Operation *op) {
  auto layout = dyn_cast<LayoutInterface>(op);
  std::optional<LayoutForm> form = layout ? layout.layoutForm() : std::nullopt;
  if (!form || form->axes < 2 || hasChannelScales(op->getOperands(), form->operands) ||
      hasChannelScales(op->getResults(), form->results))
    return;
  nodes_.push_back({op, std::move(*form)});
  nodes_.back().index = static_cast<unsigned>(nodes_.size() - 1);
  nodeOf_[op] = &nodes_.back();
}

size_t LayoutGraph::rootOf(Value value) {
  const auto [place, isNew] = rootOf_.try_emplace(value, roots_.size());
  if (isNew)
    roots_.push_back({value, nodeOf_.lookup(value.getDefiningOp())});
  return place->second;
}

void LayoutGraph::addUses(Operation *top, Block &block, const AxesViews &views) {
  if (isa<TransposeOp>(top))
    return;
  top->walk([&](Operation *op) {
    LayoutNode *node = op == top ? nodeOf_.lookup(op) : nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      const bool isOutside = op != top && operand.get().getParentBlock() != &block;
      if (isOutside || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      const AxesView view = views.of(operand.get());
      if (isMovableConstant(view.root))
        continue;
      const unsigned number = operand.getOperandNumber();
      const bool follows = node && node->form.operands[number];
      const size_t root = rootOf(view.root);
      const bool isAbsorbed = isFlattenedForWeights(op) && view.order.front() == 0;
      roots_[root].uses.push_back({follows ? node : nullptr, number, view.order, isAbsorbed});
      if (follows)
        operands_[op].emplace_back(root, roots_[root].uses.size() - 1);
    }
  });
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

void LayoutGraph::give(LayoutNode &node, bool written, const std::optional<AxisOrder> &other) {
  const AxisOrder own = identity(node.form.axes);
  if (!other || *other == own)
    return;
  node.sides[written] = own;
  node.sides[!written] = *other;
  node.written = node.chosen = written;
  waiting_.push_back(&node);
}

void LayoutGraph::offerProducer(const LayoutRoot &root, const Permutation &side0, const Permutation &side1) {
  if (!root.producer || root.producer->hasChoice())
    return;
  LayoutNode &node = *root.producer;
  const ArrayRef<int64_t> shape = shapeOf(root.value);
  const Permutation own = identity(shape.size());
  const TensorAxes &axes = node.form.results[cast<OpResult>(root.value).getResultNumber()];
  for (const bool written : {false, true})
    if (isAlike(shape, own, written ? side1 : side0))
      return give(node, written, operationOrder(node.form, *axes, shape, written ? side0 : side1));
}

void LayoutGraph::offerReader(const LayoutRoot &root, const LayoutUse &use, const Permutation &side0,
                              const Permutation &side1) {
  if (!use.node || use.node->hasChoice())
    return;
  LayoutNode &node = *use.node;
  const ArrayRef<int64_t> shape = shapeOf(root.value);
  const Permutation operandShape = permuted(shape, use.order);
  const TensorAxes &axes = node.form.operands[use.operand];
  for (const bool written : {false, true})
    if (isAlike(shape, use.order, written ? side1 : side0))
      return give(node, written,
                  operationOrder(node.form, *axes, operandShape, between(use.order, written ? side0 : side1)));
}

void LayoutGraph::offerNeighbors(LayoutNode &node) {
  for (const auto &[root, use] : operands_.lookup(node.op))
    offerProducer(roots_[root], roots_[root].uses[use].orderOn(false), roots_[root].uses[use].orderOn(true));
  for (Value result : node.op->getResults()) {
    const auto known = rootOf_.find(result);
    if (known == rootOf_.end())
      continue;
    const LayoutRoot &root = roots_[known->second];
    const Permutation side0 = root.orderOn(false), side1 = root.orderOn(true);
    for (const LayoutUse &use : root.uses)
      offerReader(root, use, side0, side1);
  }
}

void LayoutGraph::drain() {
  while (!waiting_.empty()) {
    LayoutNode *node = waiting_.back();
    waiting_.pop_back();
    offerNeighbors(*node);
  }
}

void LayoutGraph::findChoices() {
  for (const LayoutRoot &root : roots_)
    for (const LayoutUse &use : root.uses) {
      const Permutation own = identity(use.order.size());
      if (use.order == own)
        continue;
      offerProducer(root, own, use.order);
      drain();
      offerReader(root, use, use.order, own);
      drain();
    }
}

} // namespace avocet::compiler::nn
