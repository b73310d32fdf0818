//===- OnnxMatrix.cpp - Matrix products -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Contraction.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/MatrixProduct.h"
#include "OnnxActivations.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

Value gemm(OnnxOperation &op) {
  Value a = ofRank(op, op.value(0, "A"), "A", 2), b = ofRank(op, op.parameter(1, "B"), "B", 2),
        c = op.optionalParameter(2, "C");
  if (!a || !b)
    return {};
  op.ignore({"broadcast"}); // before opset 7
  const bool transposeA = op.flag("transA"), transposeB = op.flag("transB");
  const float alpha = op.number("alpha", 1), beta = op.number("beta", 1);
  return generalProduct(op, a, b, c, transposeA, transposeB, alpha, beta);
}

LogicalResult convertGemm(OnnxOperation &op) { return op.finish(gemm(op)); }

LogicalResult convertFusedGemm(OnnxOperation &op) {
  Value product = gemm(op);
  SmallVector<float> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (op.hasAttribute(name))
      parameters.push_back(op.number(name, 0));
  return op.finish(activated(op, product, parameters));
}

/// The attributes of the fused form.
LogicalResult finishMatMul(OnnxOperation &op, bool transposeA, bool transposeB, float alpha) {
  Value a = op.value(0, "A"), b = op.parameter(1, "B");
  if (!a || !b)
    return failure();
  const bool isRow = shapeOf(a).size() == 1, isColumn = shapeOf(b).size() == 1;
  Value product = matMul(op, a, b, [&](Value lhs, Value rhs) {
    return matrixProduct(op, lhs, rhs, transposeA && !isRow, transposeB && !isColumn);
  });
  return op.finish(alpha == 1 ? product : Formula(op, elementOf(a)).mul(product, alpha));
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
  FailureOr<SmallVector<Value>> operands = op.values(0, op.numInputs());
  if (failed(operands))
    return failure();
  for (Value &operand : *operands)
    operand = foldedIfConstant(op, operand);
  return op.finish(contraction(op, equation, *operands));
}

constexpr OnnxConverter kConverters[] = {
    {"Einsum", 12, 1, kAnyNumber, convertEinsum},
    {"Gemm", 1, 2, 3, convertGemm},
    {"MatMul", 1, 2, 2, convertMatMul},
    {"FusedGemm", 1, 2, 3, convertFusedGemm, 1, 1, kMicrosoft},
    {"FusedMatMul", 1, 2, 2, convertFusedMatMul, 1, 1, kMicrosoft},
};

} // namespace

ArrayRef<OnnxConverter> onnxMatrixConverters() { return kConverters; }

} // namespace avocet::compiler
