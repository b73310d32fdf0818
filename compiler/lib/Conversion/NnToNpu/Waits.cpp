//===- Waits.cpp - Operations that wait for all of their input --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Waits.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <algorithm>
#include <vector>

using namespace mlir;

namespace avocet::compiler {
namespace {

bool isMove(Operation *op) {
  auto states = dyn_cast<nn::WorkInterface>(op);
  return states && states.getWork().kind == nn::WorkKind::Move;
}

uint64_t countOf(Value value) {
  return static_cast<uint64_t>(cast<RankedTensorType>(value.getType()).getNumElements());
}

/// Elements of the last axis; a value of so many has one position.
uint64_t depthOf(Value value) {
  const ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return shape.empty() ? 1 : static_cast<uint64_t>(shape.back());
}

bool hasOnePosition(Value value) { return countOf(value) == depthOf(value); }

/// Whether each result depends on all elements of the first operand.
bool readsAll(Operation *op, const nn::Work &work) {
  switch (work.kind) {
  case nn::WorkKind::Dense:
    return work.sequence.outputs == 0 && !work.grid.isTransposed && work.grid.groups == 1 &&
           work.grid.rows * work.grid.columns == 1 && work.terms >= countOf(op->getOperand(0));
  case nn::WorkKind::Vector:
    return isa<nn::SoftmaxOp, nn::LogSoftmaxOp, nn::L2NormalizeOp>(op) && hasOnePosition(op->getOperand(0));
  default:
    return false;
  }
}

/// A pool or mean that leaves one position: each of its results depends on the last row.
bool readsAllRows(Operation *op, const nn::Work &work) {
  return (work.kind == nn::WorkKind::AveragePool || work.kind == nn::WorkKind::MaxPool) &&
         work.elements * work.terms == countOf(op->getOperand(0)) && hasOnePosition(op->getResult(0));
}

/// Operations of the block by position, without constants, and the nearest ones that they depend on.
class Order {
public:
  explicit Order(Block &network) {
    for (Operation &op : network.without_terminator())
      if (!isa<nn::ConstantOp>(op)) {
        position_[&op] = operations_.size();
        operations_.push_back(&op);
      }
    findAncestors();
    findDescendants();
  }

  const std::vector<Operation *> &operations() const { return operations_; }
  /// Whether each other operation is needed for this one, or needs it.
  bool isComparable(size_t position) const { return leads_[position] && follows_[position]; }

private:
  size_t firstReader(Operation *op) const {
    size_t first = operations_.size();
    for (Operation *user : op->getUsers())
      if (auto found = position_.find(user); found != position_.end())
        first = std::min(first, found->second);
    return first;
  }
  /// One more than the position of the last operation whose result is read; 0: none.
  size_t lastMaker(Operation *op) const {
    size_t last = 0;
    for (Value operand : op->getOperands())
      if (auto found = position_.find(operand.getDefiningOp()); found != position_.end())
        last = std::max(last, found->second + 1);
    return last;
  }

  /// All before are ancestors if each of them has a reader that is not after the operation.
  void findAncestors() {
    size_t latest = 0;
    for (size_t i = 0; i < operations_.size(); ++i) {
      leads_.push_back(latest <= i);
      latest = std::max(latest, firstReader(operations_[i]));
    }
  }
  /// All after are descendants if each of them reads something that is not before the operation.
  void findDescendants() {
    follows_.resize(operations_.size());
    size_t earliest = operations_.size();
    for (size_t i = operations_.size(); i-- > 0;) {
      follows_[i] = earliest > i;
      earliest = std::min(earliest, lastMaker(operations_[i]));
    }
  }

  std::vector<Operation *> operations_;
  llvm::DenseMap<Operation *, size_t> position_;
  std::vector<bool> leads_, follows_;
};

} // namespace

Operation *producerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && !isa<nn::ConstantOp>(op) && isMove(op) && op->getNumOperands() != 0)
    op = op->getOperand(0).getDefiningOp();
  return op && isa<nn::ConstantOp>(op) ? nullptr : op;
}

Waits::Waits(Block &network) {
  const Order order(network);
  // From the end: a pool waits only if what reads its results waits for all of them.
  bool isWhole = true;
  for (size_t i = order.operations().size(); i-- > 0;) {
    Operation *op = order.operations()[i];
    auto states = dyn_cast<nn::WorkInterface>(op);
    if (!states)
      return;
    const nn::Work work = states.getWork();
    if (work.kind == nn::WorkKind::Move)
      continue;
    const bool isAlone = order.isComparable(i) && producerOf(op->getOperand(0)) != nullptr;
    const bool isReadingAll = readsAll(op, work);
    if (isAlone && isReadingAll)
      waiting_[op] = hasOnePosition(op->getOperand(0)) ? kernels::Waiting::ForAll : kernels::Waiting::ForRows;
    else if (isAlone && isWhole && readsAllRows(op, work))
      waiting_[op] = kernels::Waiting::ForRows;
    isWhole = isReadingAll;
  }
}

} // namespace avocet::compiler
