//===- Fourier.h - Fourier transforms as matrix products --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_FOURIER_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_FOURIER_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// Complex numbers as two tensors of f32.
struct Complex {
  mlir::Value real, imaginary;
};

/// The transform along the last axis but one, to `points` rows, as a product with a matrix. Images of several rows are
/// rare, and have few. Null values after a refusal.
Complex transformColumns(ImportedOperation &op, const Complex &lines, int64_t points);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FOURIER_H
