//===- Normalized.h - Mean 0 and variance 1 ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_NORMALIZED_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_NORMALIZED_H

#include "Formula.h"

namespace avocet::compiler {

struct Normalized {
  mlir::Value value, mean, inverse; ///< (x - mean) * inverse
};

/// A value with the mean 0 and the variance 1 over these axes; null after a report, or if it is null.
Normalized normalized(Formula &f, mlir::Value x, llvm::ArrayRef<int64_t> axes, float epsilon);

/// A value that is not null with the mean square 1 over the axes from this one on.
mlir::Value rmsNormalized(ImportedOperation &op, mlir::Value x, int64_t axis, float epsilon);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_NORMALIZED_H
