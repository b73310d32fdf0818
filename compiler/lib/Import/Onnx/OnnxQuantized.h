//===- OnnxQuantized.h - Integers with scales -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXQUANTIZED_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXQUANTIZED_H

#include "Import/Common/Formula.h"
#include "Import/Common/StoredNumbers.h"
#include "OnnxGraph.h"

namespace avocet::compiler {

/// A tensor of 8 bits with constant scales: one, or several along an axis with one zero point.
struct OnnxQuantized {
  mlir::Value value = {};
  mlir::SmallVector<float> scales = {1};
  int64_t zeroPoint = 0;

  Scale scale() const { return {scales.front(), zeroPoint}; }
};

/// The integers of a constant operand; `otherwise` if it is omitted.
mlir::FailureOr<mlir::SmallVector<int64_t>> zeroPoints(OnnxOperation &op, uint32_t position,
                                                       mlir::ArrayRef<int64_t> otherwise = {0});
/// The same as one number; several must be equal.
mlir::FailureOr<int64_t> zeroPoint(OnnxOperation &op, uint32_t position);
/// The constant scale of an operand, which is a positive normal number.
mlir::FailureOr<Scale> scaleAt(OnnxOperation &op, uint32_t scale, uint32_t zeroPoint);
/// A tensor of 8 bits, its scales and its zero point at three positions from `first` on. `severalScales`: along an
/// axis.
mlir::FailureOr<OnnxQuantized> quantizedAt(OnnxOperation &op, uint32_t first, bool severalScales = false);

/// A function of the real numbers that operand 0 stands for; its scale and zero point follow, and then those of the
/// result.
mlir::LogicalResult finishOnReals(OnnxOperation &op,
                                  llvm::function_ref<mlir::Value(Formula &f, mlir::Value x)> function);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXQUANTIZED_H
