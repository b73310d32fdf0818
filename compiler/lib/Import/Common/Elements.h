//===- Elements.h - Converters of element-wise operations -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_ELEMENTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_ELEMENTS_H

#include "Create.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace avocet::compiler {

/// A quantized value converted to the scale of `element`; other values, and values of that type, unchanged.
mlir::Value requantized(ImportedOperation &op, mlir::Value value, mlir::Type element);

/// Functions of one input, which is operand 0.
template <typename Op, typename... Attributes>
mlir::LogicalResult createFunction(ImportedOperation &op, const Attributes &...attributes) {
  return finish<Op>(op, op.value(0, "input"), attributes...);
}

template <const nn::Activation &range> mlir::LogicalResult convertClamp(ImportedOperation &op) {
  return createFunction<nn::ClampOp>(op, range);
}

/// The clamp of a code of TFLite or NNAPI, which number those that are the same in the same way; nullopt: another
/// function.
std::optional<nn::Activation> fusedClamp(int64_t code);

/// Functions of operands 0 and 1, which broadcast.
template <typename Op, typename... Attributes>
mlir::LogicalResult createBinary(ImportedOperation &op, const Attributes &...attributes) {
  mlir::Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  return finish<Op>(op, lhs, rhs, attributes...);
}

/// Operations whose operands are those of the format's (AVOCET_NN_TFLITE and AVOCET_NN_NNAPI of NnOperations.inc).
template <unsigned operands, typename Op, auto... kind> mlir::LogicalResult convertDirect(ImportedOperation &op) {
  static_assert(operands == 1 || operands == 2);
  if constexpr (operands == 2)
    return createBinary<Op>(op, kind...);
  else if constexpr (std::is_same_v<Op, nn::UnaryOp>)
    return createFunction<Op>(op, kind..., llvm::APFloat(1.0f));
  else
    return createFunction<Op>(op, kind...);
}

/// Inputs with scales of their own are first converted to the result's scale.
template <typename Op> mlir::LogicalResult convertSelecting(ImportedOperation &op) {
  mlir::Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  const mlir::Type element = op.resultElement(0);
  if (!lhs || !rhs || !element)
    return mlir::failure();
  lhs = requantized(op, lhs, element);
  return finish<Op>(op, lhs, requantized(op, rhs, element));
}

/// Integer storage of a quantized type, with the types of the quant dialect over f32.
struct QuantizedStorage {
  unsigned width;
  bool isSigned;

  int64_t min() const { return isSigned ? -(int64_t(1) << (width - 1)) : 0; }
  int64_t max() const { return isSigned ? (int64_t(1) << (width - 1)) - 1 : (int64_t(1) << width) - 1; }

  mlir::Type perTensor(mlir::MLIRContext *context, double scale, int64_t zeroPoint) const;
  /// One scale and zero point for each index of dimension `axis`. Scales may be 0 (of channels without weights): the
  /// type, which admits positive ones only, has a number that is 0 in float, in which all arithmetic reads scales.
  mlir::Type perAxis(mlir::MLIRContext *context, mlir::ArrayRef<double> scales, mlir::ArrayRef<int64_t> zeroPoints,
                     int32_t axis) const;
};

/// Whether a scale is a positive normal number.
bool isScale(float scale);
/// Whether a scale is one of several along an axis: 0 too.
bool isAxisScale(float scale);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_ELEMENTS_H
