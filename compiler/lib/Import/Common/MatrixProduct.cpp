//===- MatrixProduct.cpp - Matrix products ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include "Moves.h"

#include "avocet/compiler/Compiler.h"

#include "mlir/Dialect/Traits.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The shape of the result; malformed if the operands have no product.
FailureOr<SmallVector<int64_t>> shapeOfProduct(ImportedOperation &op, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                                               bool transposeLhs, bool transposeRhs) {
  if (lhs.size() < 2 || rhs.size() < 2)
    return op.malformed("has operands of rank " + Twine(lhs.size()) + " and " + Twine(rhs.size()) +
                        ", must be 2 or more");
  const int64_t rows = lhs[lhs.size() - (transposeLhs ? 1 : 2)], columns = rhs[rhs.size() - (transposeRhs ? 2 : 1)];
  const int64_t left = lhs[lhs.size() - (transposeLhs ? 2 : 1)], right = rhs[rhs.size() - (transposeRhs ? 1 : 2)];
  if (left != right)
    return op.malformed("has rows of " + Twine(left) + " elements in lhs and columns of " + Twine(right) + " in rhs");
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(lhs.drop_back(2), rhs.drop_back(2), shape))
    return op.malformed("has batches of matrices that do not broadcast");
  shape.append({rows, columns});
  return shape;
}

/// The matrices with their last two axes exchanged.
Value transposed(ImportedOperation &op, Value value) {
  SmallVector<int64_t> permutation(shapeOf(value).size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return transpose(op, value, permutation);
}

/// The array has no 32-bit integers: all products [.., m, n, k], then their sums.
LogicalResult finishIntegers(ImportedOperation &op, Value lhs, Value rhs, RankedTensorType result) {
  SmallVector<int64_t> left(shapeOf(lhs)), right(shapeOf(rhs)), all(result.getShape());
  all.push_back(left.back());
  left.insert(left.end() - 1, 1);
  right.insert(right.end() - 2, 1);
  if (all.size() > kMaxRank)
    return op.refuse("result", "rank of a product of 32-bit integers", Twine(result.getRank()), Twine(kMaxRank - 1));
  Value leftRows = reshape(op, lhs, left), rightRows = reshape(op, rhs, right);
  if (!leftRows || !rightRows)
    return failure();
  auto type = RankedTensorType::get(all, result.getElementType());
  Value products = nn::MulOp::create(op.builder(), op.location(), type, leftRows, rightRows, nn::Activation::None);
  return op.finish(nn::ReduceOp::create(op.builder(), op.location(), result, products, nn::ReduceKind::Sum,
                                        ArrayRef<int64_t>{static_cast<int64_t>(all.size()) - 1}));
}

} // namespace

LogicalResult convertMatrixProduct(ImportedOperation &op, bool transposeLhs, bool transposeRhs) {
  Value lhs = op.value(0, "lhs"), rhs = op.value(1, "rhs");
  if (!lhs || !rhs)
    return failure();
  FailureOr<SmallVector<int64_t>> shape = shapeOfProduct(op, shapeOf(lhs), shapeOf(rhs), transposeLhs, transposeRhs);
  if (failed(shape))
    return failure();
  RankedTensorType result = op.resultType(0, *shape);
  if (!result)
    return failure();
  if (result.getElementType().isInteger(32))
    return finishIntegers(op, transposeLhs ? transposed(op, lhs) : lhs, transposeRhs ? rhs : transposed(op, rhs),
                          result);
  return op.finish(
      nn::BatchMatmulOp::create(op.builder(), op.location(), result, lhs, rhs, transposeLhs, transposeRhs));
}

} // namespace avocet::compiler
