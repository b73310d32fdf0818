//===- MatrixProduct.cpp - Matrix products ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include "FoldedConstants.h"
#include "Formula.h"
#include "Moves.h"

#include "avocet/compiler/Compiler.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The array has no integers of 32 or 64 bits: all products [.., m, n, k], then their sums.
Value integerProduct(ImportedOperation &op, Value lhs, Value rhs, bool transposeLhs, bool transposeRhs) {
  lhs = transposeLhs ? transposed(op, lhs) : lhs;
  rhs = transposeRhs ? rhs : transposed(op, rhs);
  if (!lhs || !rhs)
    return {};
  const auto last = static_cast<int64_t>(std::max(shapeOf(lhs).size(), shapeOf(rhs).size()));
  Value products = multiply(op, withAxis(op, lhs, shapeOf(lhs).size() - 1), withAxis(op, rhs, shapeOf(rhs).size() - 2));
  return products ? createAs<nn::ReduceOp>(op, elementOf(lhs), products, nn::ReduceKind::Sum, ArrayRef<int64_t>(last),
                                           /*keepDims=*/false)
                  : products;
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
  return reshape(op, broadcastTo(op, value, shape), {count, shape.end()[-2], shape.end()[-1]});
}

/// A hybrid product has one right matrix: as many products as there are right matrices.
LogicalResult finishHybrid(ImportedOperation &op, Value lhs, Value rhs, ArrayRef<int64_t> result, bool transposeLhs,
                           bool transposeRhs, bool asymmetric) {
  constexpr int64_t kMostMatrices = 64;
  ArrayRef<int64_t> batch = result.drop_back(2);
  const int64_t count = llvm::product_of(batch);
  if (count > kMostMatrices)
    return op.refuse("rhs", "number of 8-bit matrices", Twine(count), Twine(kMostMatrices));
  Value left = flattened(op, lhs, batch, count), right = flattened(op, rhs, batch, count);
  if (!left || !right)
    return failure();
  SmallVector<Value> products;
  for (int64_t i = 0; i < count; ++i) {
    Value row = matrixOf(op, left, i);
    products.push_back(
        createPair<nn::BatchMatmulOp>(op, row, matrixOf(op, right, i), transposeLhs, transposeRhs, asymmetric));
  }
  return finishMoved(op, lhs, reshape(op, concatenate(op, products, 0), result));
}

/// Whether only the right operand has 8 bits, in several matrices.
bool isHybrid(Value lhs, Value rhs) {
  return elementOf(lhs).isF32() && isQuantized(rhs) &&
         llvm::any_of(shapeOf(rhs).drop_back(2), [](int64_t extent) { return extent != 1; });
}

} // namespace

Value matrixProduct(ImportedOperation &op, Value lhs, Value rhs, bool transposeLhs, bool transposeRhs, Value bias,
                    Type element) {
  if (!lhs || !rhs)
    return {};
  element = element ? element : elementOf(lhs);
  if (isa<IntegerType>(elementOf(lhs)))
    return integerProduct(op, lhs, rhs, transposeLhs, transposeRhs);
  const bool isLayer = shapeOf(rhs).size() == 2 && rhs.getDefiningOp<nn::ConstantOp>() && !transposeLhs;
  if (!isLayer) {
    Value product =
        createAs<nn::BatchMatmulOp>(op, element, lhs, rhs, transposeLhs, transposeRhs, /*asymmetric=*/false);
    return bias ? add(op, product, bias) : product;
  }
  Value weights = foldedIfConstant(op, transposeRhs ? rhs : transposed(op, rhs));
  return createAs<nn::FullyConnectedOp>(op, element, lhs, weights, bias, /*keepDims=*/true, nn::Activation::kNone);
}

Value matMul(ImportedOperation &op, Value a, Value b, function_ref<Value(Value, Value)> multiply) {
  if (shapeOf(a).empty() || shapeOf(b).empty())
    return op.malformed("multiplies a scalar");
  const bool isRow = shapeOf(a).size() == 1, isColumn = shapeOf(b).size() == 1;
  Value product = multiply(isRow ? withAxis(op, a, 0) : a, isColumn ? withAxis(op, b, 1) : b);
  if (!product)
    return {};
  SmallVector<int64_t> shape(shapeOf(product));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return reshape(op, product, shape);
}

Value asBias(ImportedOperation &op, Value value, int64_t columns) {
  if (!value || tensorOf(value).getNumElements() != columns ||
      (!shapeOf(value).empty() && shapeOf(value).back() != columns))
    return {};
  return foldedIfConstant(op, reshape(op, value, {columns}));
}

Value generalProduct(ImportedOperation &op, Value a, Value b, Value c, bool transposeA, bool transposeB, float alpha,
                     float beta) {
  Formula f(op, elementOf(a));
  const auto scaled = [&](Value x, float factor) { return factor == 1 ? x : f.mul(x, factor); };
  Value bias = alpha == 1 && beta == 1 ? asBias(op, c, shapeOf(b)[transposeB ? 0 : 1]) : Value();
  Value product = scaled(matrixProduct(op, a, b, transposeA, transposeB, bias), alpha);
  return !c || bias || beta == 0 ? product : f.add(product, scaled(c, beta));
}

LogicalResult convertMatrixProduct(ImportedOperation &op, bool transposeLhs, bool transposeRhs, bool asymmetric) {
  Value lhs = op.value(0, "lhs"), rhs = op.value(1, "rhs");
  if (!lhs || !rhs)
    return failure();
  BrokenRule errors(op);
  FailureOr<nn::Shape> shape = nn::matrixProductShape(shapeOf(lhs), shapeOf(rhs), transposeLhs, transposeRhs, errors);
  if (failed(shape))
    return errors.report();
  const Type element = op.resultElement(0);
  if (!element)
    return failure();
  if (element.isInteger(32) && shape->size() >= kMaxRank)
    return op.refuse("result", "rank of a product of 32-bit integers", Twine(shape->size()), Twine(kMaxRank - 1));
  if (element.isInteger(32))
    return finishMoved(op, lhs, integerProduct(op, lhs, rhs, transposeLhs, transposeRhs));
  if (isHybrid(lhs, rhs))
    return finishHybrid(op, lhs, rhs, *shape, transposeLhs, transposeRhs, asymmetric);
  return finish<nn::BatchMatmulOp>(op, lhs, rhs, transposeLhs, transposeRhs, asymmetric);
}

} // namespace avocet::compiler
