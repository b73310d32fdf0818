//===- Scaling.h - Numbers with scales of parts -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_SCALING_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_SCALING_H

#include "StoredNumbers.h"

namespace avocet::compiler {

/// Numbers, and the scales and zero points of the whole tensor, of each place of an axis, or of each block along it.
struct Scaling {
  mlir::Value x, scale, zeroPoint; ///< constants, or computed; no zero point: 0
  int64_t axis = 0, block = 0;

  bool isPerTensor() const { return tensorOf(scale).getNumElements() == 1 && block == 0; }

  /// The real numbers x as integers, or floats of at most 8 bits, of this type: x / scale + zeroPoint, rounded half to
  /// even. `saturates`: floats out of range become the nearest number. Null after a report.
  mlir::Value quantized(ImportedOperation &op, mlir::Type element, bool saturates) const;
  /// (x - zeroPoint) * scale as floats of this type. Null after a report.
  mlir::Value dequantized(ImportedOperation &op, mlir::Type element) const;

private:
  std::optional<Scale> scaleOfType(mlir::Type integer) const;
  std::optional<mlir::SmallVector<int64_t>> constantZeroPoints(size_t count) const;
  void noteStored(mlir::Value real) const;
  mlir::Value spreadOut(ImportedOperation &op, mlir::Value numbers) const;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SCALING_H
