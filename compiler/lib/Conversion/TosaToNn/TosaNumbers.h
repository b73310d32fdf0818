//===- TosaNumbers.h - Numbers and NaN in operations of TOSA ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSANUMBERS_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSANUMBERS_H

#include "TosaGraph.h"

namespace avocet::compiler {

/// A number of the type of a value, with which it broadcasts. Null values have null ones.
mlir::Value numberLike(TosaOperation &op, mlir::Value value, double number);

mlir::Value isNan(TosaOperation &op, mlir::Value value);

/// Whether the mode asks for other results of NaN than the device gives, which propagates it.
bool ignoresNan(mlir::tosa::NanPropagationMode mode, mlir::Value value);

/// The number where a value is NaN, and the elements of another value elsewhere.
mlir::Value selectNan(TosaOperation &op, mlir::Value value, double ofNan, mlir::Value ofOthers);

/// Floats with this number in the place of each NaN, as the mode IGNORE needs; all other values as they are.
mlir::Value withoutNan(TosaOperation &op, mlir::Value value, mlir::tosa::NanPropagationMode mode, double number);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSANUMBERS_H
