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
#include "llvm/ADT/STLExtras.h"

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

/// Matrix `index` of [matrices, rows, columns].
Value matrixOf(ImportedOperation &op, Value matrices, int64_t index) {
  ArrayRef<int64_t> shape = shapeOf(matrices);
  return slice(op, matrices, {index, 0, 0}, {1, shape[1], shape[2]}, {1, 1, 1});
}

/// All matrices of an operand in one axis, repeated to the batch of the result.
Value flattened(ImportedOperation &op, Value value, ArrayRef<int64_t> batch, int64_t count) {
  SmallVector<int64_t> shape(batch);
  shape.append({shapeOf(value).end()[-2], shapeOf(value).end()[-1]});
  Value repeated = broadcastTo(op, value, shape);
  return repeated ? reshape(op, repeated, {count, shape.end()[-2], shape.end()[-1]}) : Value();
}

/// A hybrid product has one right matrix: as many products as there are right matrices.
LogicalResult finishHybrid(ImportedOperation &op, Value lhs, Value rhs, RankedTensorType result, bool transposeLhs,
                           bool transposeRhs, bool asymmetric) {
  constexpr int64_t kMostMatrices = 64;
  ArrayRef<int64_t> batch = result.getShape().drop_back(2);
  const int64_t count = llvm::product_of(batch);
  if (count > kMostMatrices)
    return op.refuse("rhs", "number of 8-bit matrices", Twine(count), Twine(kMostMatrices));
  Value left = flattened(op, lhs, batch, count), right = flattened(op, rhs, batch, count);
  if (!left || !right)
    return failure();
  auto type =
      RankedTensorType::get({1, result.getShape().end()[-2], result.getShape().end()[-1]}, result.getElementType());
  SmallVector<Value> products;
  for (int64_t i = 0; i < count; ++i) {
    Value l = matrixOf(op, left, i), r = matrixOf(op, right, i);
    if (!l || !r)
      return failure();
    products.push_back(
        nn::BatchMatmulOp::create(op.builder(), op.location(), type, l, r, transposeLhs, transposeRhs, asymmetric));
  }
  Value all = concatenate(op, products, 0);
  return all ? op.finish(reshape(op, all, result.getShape())) : failure();
}

/// Whether only the right operand has 8 bits, in several matrices.
bool isHybrid(Value lhs, Value rhs) {
  return elementOf(lhs).isF32() && isQuantized(rhs) &&
         llvm::any_of(shapeOf(rhs).drop_back(2), [](int64_t extent) { return extent != 1; });
}

} // namespace

LogicalResult convertMatrixProduct(ImportedOperation &op, bool transposeLhs, bool transposeRhs, bool asymmetric) {
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
  if (isHybrid(lhs, rhs))
    return finishHybrid(op, lhs, rhs, result, transposeLhs, transposeRhs, asymmetric);
  return op.finish(
      nn::BatchMatmulOp::create(op.builder(), op.location(), result, lhs, rhs, transposeLhs, transposeRhs, asymmetric));
}

} // namespace avocet::compiler
