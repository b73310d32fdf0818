//===- QuantizedStorage.h - Integers that store reals -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_QUANTIZEDSTORAGE_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_QUANTIZEDSTORAGE_H

#include "mlir/IR/BuiltinTypes.h"

namespace avocet::compiler {

/// Integer storage of a quantised type, with the types of the quant dialect over f32.
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

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_QUANTIZEDSTORAGE_H
