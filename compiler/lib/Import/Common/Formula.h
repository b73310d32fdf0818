//===- Formula.h - Values from formulas -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that the dialect does not have are written as formulas. Operands broadcast and have one element
// type. A null operand gives a null value, whose reason has been reported.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_FORMULA_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_FORMULA_H

#include "Create.h"

namespace avocet::compiler {

/// The type in which formulas compute: the device has little arithmetic of integers of 8 and 16 bits.
mlir::Type computedElement(ImportedOperation &op, mlir::Type element);

class Formula {
public:
  /// Constants have the element type.
  Formula(ImportedOperation &op, mlir::Type element) : op_(op), element_(element) {}

  mlir::Value constant(double number);
  mlir::Value add(mlir::Value a, mlir::Value b) { return compiler::add(op_, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return subtract(op_, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return multiply(op_, a, b); }
  /// Quotients of integers are rounded towards zero.
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b) { return createPair<nn::MaximumOp>(op_, a, b); }
  mlir::Value min(mlir::Value a, mlir::Value b) { return createPair<nn::MinimumOp>(op_, a, b); }
  mlir::Value add(mlir::Value a, double b) { return add(a, constant(b)); }
  mlir::Value sub(mlir::Value a, double b) { return sub(a, constant(b)); }
  mlir::Value sub(double a, mlir::Value b) { return sub(constant(a), b); }
  mlir::Value mul(mlir::Value a, double b) { return mul(a, constant(b)); }
  mlir::Value div(mlir::Value a, double b) { return div(a, constant(b)); }
  mlir::Value div(double a, mlir::Value b) { return div(constant(a), b); }
  mlir::Value max(mlir::Value a, double b) { return max(a, constant(b)); }
  mlir::Value min(mlir::Value a, double b) { return min(a, constant(b)); }
  mlir::Value apply(nn::UnaryKind kind, mlir::Value x, float alpha = 1);
  /// The square root; that of integers is rounded towards zero.
  mlir::Value root(mlir::Value x);
  mlir::Value apply(nn::BinaryKind kind, mlir::Value a, mlir::Value b) {
    return createPair<nn::BinaryOp>(op_, a, b, kind);
  }
  mlir::Value logistic(mlir::Value x) { return x ? createAs<nn::LogisticOp>(op_, element_, x) : x; }
  mlir::Value tanh(mlir::Value x) { return x ? createAs<nn::TanhOp>(op_, element_, x) : x; }
  mlir::Value compare(mlir::Value a, nn::CompareKind kind, mlir::Value b);
  mlir::Value compare(mlir::Value a, nn::CompareKind kind, double b) { return compare(a, kind, constant(b)); }
  /// All three broadcast.
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value reduce(nn::ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keep = true);
  mlir::Value mean(mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keep = true);

private:
  ImportedOperation &op_;
  mlir::Type element_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FORMULA_H
