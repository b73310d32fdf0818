//===- Relayout.cpp - Operations in their chosen layouts --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"

#include "Greedy.h"
#include "ReorderedConstants.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

#include <map>
#include <memory>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kLayout = "layout"; // name of remarks

class Relayout {
public:
  Relayout(Block &block, const AxesViews &views, LayoutGraph &graph) : block_(block), views_(views) {
    for (LayoutNode &node : graph.nodes())
      if (node.hasChoice() && node.chosen != node.written)
        nodes_[node.op] = &node;
    for (TransposeOp op : views.transposes())
      formsOf(views.of(op.getOutput()).root).written.try_emplace(views.of(op.getOutput()).order, op);
  }

  void run() {
    const auto ops = llvm::map_to_vector(block_, [](Operation &op) { return &op; });
    for (Operation *op : ops) {
      if (isa<TransposeOp>(op))
        continue;
      if (LayoutNode *node = nodes_.lookup(op))
        rebuild(*node);
      else
        reconnect(op);
    }
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty() && (isa<TransposeOp, ConstantOp>(op) || nodes_.contains(op)))
        op->erase();
  }

private:
  /// A root, and its forms that exist.
  struct Forms {
    Value stored;      ///< null: the root itself
    Permutation order; ///< of `stored`
    std::map<Permutation, Value> made;
    std::map<Permutation, TransposeOp> written; ///< by the network
  };

  Forms &formsOf(Value root) {
    auto [place, isNew] = forms_.try_emplace(root);
    if (isNew)
      place->second = std::make_unique<Forms>(Forms{root, identity(shapeOf(root).size()), {}, {}});
    return *place->second;
  }

  /// The root with its axes in this order, before the operation.
  Value inOrder(Value root, const Permutation &order, Operation *before) {
    Forms &forms = formsOf(root);
    if (order == forms.order)
      return forms.stored;
    auto [place, isNew] = forms.made.try_emplace(order);
    if (isNew)
      place->second = make(root, forms, order, before);
    return place->second;
  }

  /// Where an operation is new: a result of the network leaves the device early.
  Operation *placeOf(Value value, Operation *before) {
    if (!before->hasTrait<OpTrait::IsTerminator>())
      return before;
    Operation *producer = value.getDefiningOp();
    return producer && producer->getBlock() == &block_ ? producer->getNextNode() : &block_.front();
  }

  Value make(Value root, const Forms &forms, const Permutation &order, Operation *before) {
    const ArrayRef<int64_t> shape = shapeOf(root);
    if (isMovableConstant(root))
      return transposed(root.getDefiningOp<ConstantOp>(), order, permuted(shape, order));
    if (isAlike(shape, forms.order, order))
      return reshapedTo(forms.stored, permuted(shape, order), before);
    for (const auto &[other, value] : forms.made)
      if (value && isAlike(shape, other, order))
        return reshapedTo(value, permuted(shape, order), before);
    return transposedBefore(forms, order, before);
  }

  /// Keeps a transpose of the network if it can become the one that is needed, because of its name.
  Value transposedBefore(const Forms &forms, const Permutation &order, Operation *before) {
    const Permutation change = between(forms.order, order);
    const auto written = forms.written.find(order);
    if (written == forms.written.end()) {
      OpBuilder builder(placeOf(forms.stored, before));
      const auto type = tensorOf(forms.stored);
      return TransposeOp::create(builder, unnamedResult(before->getLoc()),
                                 type.clone(permuted(type.getShape(), change)), forms.stored, change);
    }
    TransposeOp op = written->second;
    if (before->isBeforeInBlock(op))
      op->moveBefore(before);
    op.getInputMutable().assign(forms.stored);
    op.setPermutation(change);
    return op.getOutput();
  }

  Value reshapedTo(Value value, ArrayRef<int64_t> shape, Operation *before) {
    if (shapeOf(value) == shape)
      return value;
    if (auto reshape = value.getDefiningOp<ReshapeOp>(); reshape && shapeOf(reshape.getInput()) == shape)
      return reshape.getInput();
    OpBuilder builder(placeOf(value, before));
    return ReshapeOp::create(builder, unnamedResult(before->getLoc()), tensorOf(value).clone(shape), value);
  }

  /// Replaces what the operation reads, and operations inside it, by the form of the root that exists now.
  void reconnect(Operation *top) {
    top->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (op == top || operand.get().getParentBlock() == &block_)
          operand.set(written(operand.get(), top));
    });
  }

  /// The value in the network's own order.
  Value written(Value value, Operation *before) {
    const AxesView view = views_.of(value);
    return forms_.contains(view.root) ? inOrder(view.root, view.order, before) : value;
  }

  //===--------------------------------------------------------------------===//
  // Operations in another layout
  //===--------------------------------------------------------------------===//

  void rebuild(const LayoutNode &node) {
    Operation *op = node.op;
    const AxisOrder &order = node.sides[node.chosen];
    SmallVector<Value> operands;
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      operands.push_back(operandOf(node, index, order));
    OpBuilder builder(op);
    Operation *moved = builder.clone(*op);
    moved->setOperands(operands);
    for (NamedAttribute attribute : reorderedAttributes(op, node.form, order))
      moved->setAttr(attribute.getName(), attribute.getValue());
    moved->setLoc(unnamedResult(op->getLoc()));
    for (auto [result, from, axes] : llvm::zip_equal(moved->getResults(), op->getResults(), node.form.results)) {
      Forms &forms = formsOf(from);
      forms.order = tensorOrder(*axes, order);
      forms.stored = result;
      result.setType(tensorOf(from).clone(permuted(shapeOf(from), forms.order)));
      if (const auto name = forms.written.find(forms.order); name != forms.written.end())
        moved->setLoc(fusedIntoResult(op->getLoc(), name->second.getLoc()));
    }
    if (wantsRemarks(op->getContext()) && !isa<ReshapeOp>(op))
      remarkFused(moved, kLayout, "its axes are in the order " + textOf(order));
  }

  Value operandOf(const LayoutNode &node, unsigned index, const AxisOrder &order) {
    const Value operand = node.op->getOperand(index);
    const TensorAxes &axes = node.form.operands[index];
    if (!axes)
      return written(operand, node.op);
    const AxesView view = views_.of(operand);
    Value value = inOrder(view.root, after(tensorOrder(*axes, order), view.order), node.op);
    return node.form.broadcasts ? withMissingAxes(value, *axes, order, node.op) : value;
  }

  /// With extents of 1 for the axes that the operand lacks, if any is after one that it has.
  Value withMissingAxes(Value value, ArrayRef<int64_t> axes, const AxisOrder &order, Operation *before) {
    if (axes.empty() || axes.size() == order.size())
      return value;
    SmallVector<int64_t> shape;
    size_t next = 0;
    for (int64_t axis : order) {
      if (llvm::is_contained(axes, axis))
        shape.push_back(shapeOf(value)[next++]);
      else if (!shape.empty())
        shape.push_back(1);
    }
    if (auto constant = value.getDefiningOp<ConstantOp>(); constant && isMovableConstant(value))
      return shapeOf(value) == ArrayRef<int64_t>(shape)
                 ? value
                 : transposed(constant, identity(axes.size()), shape).getOutput();
    return reshapedTo(value, shape, before);
  }

  Block &block_;
  const AxesViews &views_;
  llvm::DenseMap<Operation *, LayoutNode *> nodes_; ///< whose layouts change
  llvm::DenseMap<Value, std::unique_ptr<Forms>> forms_;
};

} // namespace

void applyLayouts(Block &block, const AxesViews &views, LayoutGraph &graph) { Relayout(block, views, graph).run(); }

} // namespace avocet::compiler::nn
