//===- NnapiShape.cpp - Axes and shapes -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

bool isPermutation(ArrayRef<int64_t> axes, size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : axes)
    if (axis >= 0 && axis < static_cast<int64_t>(rank))
      seen.set(axis);
  return axes.size() == rank && seen.all();
}

/// Without a permutation the axes are reversed.
LogicalResult convertTranspose(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const size_t rank = shapeOf(input).size();
  auto reversed = llvm::to_vector(llvm::reverse(llvm::to_vector(llvm::seq<int64_t>(0, rank))));
  FailureOr<SmallVector<int64_t>> axes = op.hasInput(1) ? op.integers(1, "permutation") : reversed;
  if (failed(axes))
    return failure();
  if (!isPermutation(*axes, rank))
    return op.malformed("has a permutation that does not name every axis once");
  auto shape = llvm::map_to_vector(*axes, [&](int64_t axis) { return shapeOf(input)[axis]; });
  RankedTensorType result = op.resultType(0, shape);
  return result ? op.finish(nn::TransposeOp::create(op.builder(), op.location(), result, input, *axes)) : failure();
}

constexpr NnapiConverter kConverters[] = {
    {37, 1, 2, 1 << 1, convertTranspose},
};

} // namespace

ArrayRef<NnapiConverter> nnapiShapeConverters() { return kConverters; }

} // namespace avocet::compiler
