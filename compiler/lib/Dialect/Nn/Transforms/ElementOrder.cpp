//===- ElementOrder.cpp - Orders that moves give to elements ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementOrder.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

using namespace mlir;

namespace avocet::compiler::nn {

ElementOrder::ElementOrder(int64_t elements) { append({elements, 1}); }

void ElementOrder::append(Loop loop) {
  if (loop.extent == 1)
    return;
  if (!loops_.empty() && loops_.back().stride == loop.extent * loop.stride)
    loops_.back() = {loops_.back().extent * loop.extent, loop.stride};
  else
    loops_.push_back(loop);
}

std::optional<SmallVector<ElementOrder::Loop>> ElementOrder::takeInner(SmallVector<Loop> &loops, int64_t iterations) {
  SmallVector<Loop> taken;
  while (iterations > 1) {
    if (loops.empty())
      return std::nullopt;
    Loop &loop = loops.back();
    if (iterations % loop.extent == 0) {
      iterations /= loop.extent;
      taken.push_back(loop);
      loops.pop_back();
      continue;
    }
    if (loop.extent % iterations != 0)
      return std::nullopt;
    taken.push_back({iterations, loop.stride});
    loop = {loop.extent / iterations, loop.stride * iterations};
    iterations = 1;
  }
  return taken;
}

std::optional<ElementOrder> ElementOrder::transposed(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) const {
  SmallVector<Loop> rest = loops_;
  SmallVector<SmallVector<Loop>> axes(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    auto taken = takeInner(rest, shape[axis]);
    if (!taken)
      return std::nullopt;
    axes[axis] = *taken;
  }
  ElementOrder result;
  for (int64_t axis : permutation)
    for (Loop loop : llvm::reverse(axes[axis]))
      result.append(loop);
  return result;
}

std::optional<ElementOrder> ElementOrder::insideRows(int64_t rowElements) const {
  ElementOrder outer = *this, inner;
  auto taken = takeInner(outer.loops_, rowElements);
  if (!taken)
    return std::nullopt;
  const bool keepsRows =
      outer.loops_.empty() || (outer.loops_.size() == 1 && outer.loops_.front().stride == rowElements);
  if (!keepsRows)
    return std::nullopt;
  for (Loop loop : llvm::reverse(*taken))
    inner.append(loop);
  return inner;
}

SmallVector<int64_t> ElementOrder::places() const {
  SmallVector<int64_t> places{0};
  for (Loop loop : loops_) {
    SmallVector<int64_t> finer;
    finer.reserve(places.size() * loop.extent);
    for (int64_t place : places)
      for (int64_t i = 0; i < loop.extent; ++i)
        finer.push_back(place + i * loop.stride);
    places = std::move(finer);
  }
  return places;
}

MovedElements traceMoves(Value value) {
  constexpr size_t kMostMoves = 8; // bounds the time in long chains
  SmallVector<Operation *> moves;
  for (Value source = value; moves.size() < kMostMoves; source = moves.back()->getOperand(0)) {
    Operation *move = source.getDefiningOp();
    if (!isa_and_nonnull<ReshapeOp, TransposeOp>(move))
      break;
    moves.push_back(move);
  }
  const ElementOrder plain(cast<RankedTensorType>(value.getType()).getNumElements());
  for (; !moves.empty(); moves.pop_back()) {
    std::optional<ElementOrder> order = plain;
    for (Operation *move : llvm::reverse(moves))
      if (auto transpose = dyn_cast<TransposeOp>(move); transpose && order)
        order = order->transposed(cast<RankedTensorType>(transpose.getInput().getType()).getShape(),
                                  transpose.getPermutation());
    if (order)
      return {moves.back()->getOperand(0), *order};
  }
  return {value, plain};
}

} // namespace avocet::compiler::nn
