//===- Functions.h - Functions as formulas ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of each element that the dialect does not have. They keep their digits near 0 and do not overflow on the
// way to a result that does not.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_FUNCTIONS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_FUNCTIONS_H

#include "Formula.h"

namespace avocet::compiler {

/// A function with its parameters, by the name that ONNX gives it.
struct NamedFunction {
  llvm::StringRef name;
  uint32_t parameters; ///< how many of alpha and beta it has
  float alpha, beta;
  mlir::Value (*function)(Formula &f, mlir::Value x, float alpha, float beta);

  mlir::Value operator()(Formula &f, mlir::Value x) const { return function(f, x, alpha, beta); }
};

namespace functions {

/// The function with this name in any case, with its usual parameters; null: none.
const NamedFunction *named(llvm::StringRef name);

mlir::Value tangent(Formula &f, mlir::Value x);
mlir::Value arcSine(Formula &f, mlir::Value x);
mlir::Value arcCosine(Formula &f, mlir::Value x);
mlir::Value arcTangent(Formula &f, mlir::Value x);
mlir::Value hyperbolicSine(Formula &f, mlir::Value x);
mlir::Value hyperbolicCosine(Formula &f, mlir::Value x);
mlir::Value areaSine(Formula &f, mlir::Value x);
mlir::Value areaCosine(Formula &f, mlir::Value x);
mlir::Value areaTangent(Formula &f, mlir::Value x);

/// log(1 + e^x)
mlir::Value softplus(Formula &f, mlir::Value x);
/// x / (1 + |x|)
mlir::Value softsign(Formula &f, mlir::Value x);
/// x * tanh(softplus(x))
mlir::Value mish(Formula &f, mlir::Value x);
/// x * logistic(alpha * x)
mlir::Value swish(Formula &f, mlir::Value x, float alpha);
/// max(x, 0) + min(0, alpha * (e^(x / alpha) - 1))
mlir::Value celu(Formula &f, mlir::Value x, float alpha);
/// min(max(alpha * x + beta, 0), 1)
mlir::Value hardSigmoid(Formula &f, mlir::Value x, float alpha, float beta);
/// x above the threshold, else 0
mlir::Value thresholded(Formula &f, mlir::Value x, float threshold);
/// x + bias below -lambda, x - bias above lambda, else 0
mlir::Value shrunk(Formula &f, mlir::Value x, float lambda, float bias);
/// The remainder with the sign of the dividend.
mlir::Value truncatedRemainder(Formula &f, mlir::Value dividend, mlir::Value divisor);

} // namespace functions
} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FUNCTIONS_H
