//===- OnnxMatrix.cpp - Matrix products -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxMatrix.h"

#include "Import/Common/Contraction.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The last two axes exchanged.
Value exchanged(OnnxOperation &op, Value value) {
  SmallVector<int64_t> permutation(shapeOf(value).size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return transpose(op, value, permutation);
}

/// Products of integers of 32 and 64 bits, which the array does not have: [.., M, K, 1] * [.., 1, K, N], summed.
Value integerProduct(OnnxOperation &op, Value lhs, Value rhs, bool transposeLhs, bool transposeRhs) {
  lhs = transposeLhs ? exchanged(op, lhs) : lhs;
  rhs = transposeRhs ? exchanged(op, rhs) : rhs;
  if (!lhs || !rhs)
    return {};
  SmallVector<int64_t> left(shapeOf(lhs)), right(shapeOf(rhs));
  left.push_back(1);
  right.insert(right.end() - 2, 1);
  const auto rank = static_cast<int64_t>(std::max(left.size(), right.size()));
  Value products = multiply(op, reshape(op, lhs, left), reshape(op, rhs, right));
  return products
             ? createAs<nn::ReduceOp>(op, elementOf(lhs), products, nn::ReduceKind::Sum, ArrayRef<int64_t>{rank - 2},
                                      /*keepDims=*/false)
             : Value();
}

Value asMatrix(OnnxOperation &op, Value vector, bool isRow) {
  if (!vector || shapeOf(vector).size() != 1)
    return vector;
  const int64_t extent = shapeOf(vector)[0];
  return reshape(op, vector, isRow ? SmallVector<int64_t>{1, extent} : SmallVector<int64_t>{extent, 1});
}

Value scaled(Formula &f, Value x, float factor) { return factor == 1 ? x : f.mul(x, factor); }

LogicalResult convertGemm(OnnxOperation &op) { return op.finish(gemm(op)); }

/// The attributes of the fused form.
LogicalResult finishMatMul(OnnxOperation &op, bool transposeA, bool transposeB, float alpha) {
  Value a = op.value(0, "A"), b = op.parameter(1, "B");
  if (!a || !b)
    return failure();
  const bool isRow = shapeOf(a).size() == 1, isColumn = shapeOf(b).size() == 1;
  Value product = matMul(op, a, b, [&](Value lhs, Value rhs) {
    return matrixProduct(op, lhs, rhs, transposeA && !isRow, transposeB && !isColumn);
  });
  Formula f(op, elementOf(a));
  return op.finish(product ? scaled(f, product, alpha) : product);
}

LogicalResult convertMatMul(OnnxOperation &op) { return finishMatMul(op, false, false, 1); }

LogicalResult convertFusedMatMul(OnnxOperation &op) {
  if (op.flag("transBatchA") || op.flag("transBatchB"))
    return op.refuse("transBatchA", "batches keep their place", "1", "0");
  return finishMatMul(op, op.flag("transA"), op.flag("transB"), op.number("alpha", 1));
}

LogicalResult convertEinsum(OnnxOperation &op) {
  std::string equation = op.text("equation").str();
  llvm::erase(equation, ' ');
  SmallVector<Value> operands;
  for (uint32_t position = 0; position < op.numInputs(); ++position)
    if (operands.push_back(op.parameter(position, "input " + std::to_string(position))); !operands.back())
      return failure();
  return op.finish(contraction(op, equation, operands, [&](Value lhs, Value rhs, bool transposeLhs, bool transposeRhs) {
    return matrixProduct(op, lhs, rhs, transposeLhs, transposeRhs);
  }));
}

constexpr OnnxConverter kConverters[] = {
    {"Einsum", 12, 1, kAnyNumber, convertEinsum},
    {"Gemm", 1, 2, 3, convertGemm},
    {"MatMul", 1, 2, 2, convertMatMul},
    {"FusedMatMul", 1, 2, 2, convertFusedMatMul, 1, 1, kMicrosoft},
};

} // namespace

Value asBias(OnnxOperation &op, Value c, int64_t columns) {
  if (!c || tensorOf(c).getNumElements() != columns || (!shapeOf(c).empty() && shapeOf(c).back() != columns))
    return {};
  Value bias = shapeOf(c).size() == 1 ? c : reshape(op, c, {columns});
  nn::ConstantOp folded = bias ? foldedConstant(op, bias) : nn::ConstantOp();
  return folded ? Value(folded) : bias;
}

Value gemm(OnnxOperation &op) {
  Value a = op.value(0, "A"), b = op.parameter(1, "B"), c = op.hasInput(2) ? op.parameter(2, "C") : Value();
  if (!a || !b || (op.hasInput(2) && !c))
    return {};
  if (!ofRank(op, a, "A", 2) || !ofRank(op, b, "B", 2))
    return {};
  op.ignore({"broadcast"}); // before opset 7
  const bool transposeA = op.flag("transA"), transposeB = op.flag("transB");
  const float alpha = op.number("alpha", 1), beta = op.number("beta", 1);
  Formula f(op, elementOf(a));
  const int64_t columns = shapeOf(b)[transposeB ? 0 : 1];
  Value bias = alpha == 1 && beta == 1 ? asBias(op, c, columns) : Value();
  Value product = matrixProduct(op, a, b, transposeA, transposeB, bias);
  if (!c || bias || beta == 0)
    return scaled(f, product, alpha);
  return f.add(scaled(f, product, alpha), scaled(f, c, beta));
}

Value matMul(OnnxOperation &op, Value a, Value b, function_ref<Value(Value, Value)> multiply) {
  if (shapeOf(a).empty() || shapeOf(b).empty())
    return op.malformed("multiplies a scalar");
  const bool isRow = shapeOf(a).size() == 1, isColumn = shapeOf(b).size() == 1;
  Value product = multiply(asMatrix(op, a, true), asMatrix(op, b, false));
  if (!product)
    return {};
  SmallVector<int64_t> shape(shapeOf(product));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return shape == shapeOf(product) ? product : reshape(op, product, shape);
}

Value matrixProduct(OnnxOperation &op, Value lhs, Value rhs, bool transposeLhs, bool transposeRhs, Value bias,
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
  Value weights = transposeRhs ? rhs : exchanged(op, rhs);
  if (nn::ConstantOp folded = weights ? foldedConstant(op, weights) : nn::ConstantOp())
    weights = folded;
  return createAs<nn::FullyConnectedOp>(op, element, lhs, weights, bias, /*keepDims=*/true, nn::Activation::kNone);
}

ArrayRef<OnnxConverter> onnxMatrixConverters() { return kConverters; }

} // namespace avocet::compiler
