//===- TosaRows.h - What conversions from and to TOSA share -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAROWS_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

namespace avocet::compiler {

/// A row of a table: the name of an operation, and the function that converts it. The function sees the operation
/// through `View`.
template <typename View> struct OperationRow {
  llvm::StringRef name;
  mlir::LogicalResult (*convert)(View &op);
};

namespace detail {

template <auto convert, typename View, typename Op> mlir::LogicalResult convertAs(View &op) {
  return convert(op, mlir::cast<Op>(op.source()));
}
template <auto convert, typename View, typename Op>
constexpr OperationRow<View> rowOf(mlir::LogicalResult (*)(View &, Op)) {
  return {Op::getOperationName(), convertAs<convert, View, Op>};
}

} // namespace detail

/// The row of a function of a view and the operation.
template <auto convert> constexpr auto kConverts = detail::rowOf<convert>(convert);

/// The element type in the other dialect; null: it has none.
using ElementMap = mlir::Type (*)(mlir::Type element);
/// The values of the source in the function that is made.
using ValueMap = llvm::DenseMap<mlir::Value, mlir::Value>;

/// The element type of a value of the nn dialect for an element type of TOSA; null: it has none.
mlir::Type tosaElement(mlir::Type element);
/// The element types of TOSA that have one, for messages.
inline constexpr llvm::StringRef kTosaElements = "i1, i4, i8, i16, i32, i48, bf16, f16 or f32";

/// An axis of tosa.resize: index `i` of the result reads at (i * denominator + offset) / numerator.
struct Sampling {
  int64_t numerator, denominator, offset;

  /// The pixel below that place, and the rest of the numerator.
  int64_t below(int64_t index) const { return llvm::divideFloorSigned(index * denominator + offset, numerator); }
  int64_t rest(int64_t index) const { return index * denominator + offset - below(index) * numerator; }
};

/// Whether the nn dialect has tensors of the shape.
bool hasFixedShape(mlir::Type type);

/// An empty function before `source` with its border, whose types are converted; null after refusals.
mlir::func::FuncOp convertBorder(mlir::func::FuncOp source, llvm::StringRef name, ElementMap elementOf);

/// Operations after a refused one are still checked: its results get values that the other dialect would have.
void addPlaceholders(mlir::OpBuilder &builder, mlir::Operation *refused, ElementMap elementOf, ValueMap &values);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSAROWS_H
