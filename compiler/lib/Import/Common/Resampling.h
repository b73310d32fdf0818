//===- Resampling.h - Interpolation along axes ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis is resampled by constants: each element of the result is a weighted sum of elements of the input.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_RESAMPLING_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_RESAMPLING_H

#include "ImportedOperation.h"

#include <vector>

namespace avocet::compiler {

struct Tap {
  int64_t index; ///< inside of the input's axis
  float weight;
};

/// What each element of the result along an axis is made of: one tap or more, with different indices in ascending
/// order.
using Taps = std::vector<llvm::SmallVector<Tap, 4>>;

/// Whether each result is one element of the input, unchanged.
bool isSelection(const Taps &taps);

/// Resamples axis i by taps[i]; an axis without taps stays. nn.resize does it where it computes the same, a matrix
/// product or gathers elsewhere. Weights of i32 and i64 are whole numbers, and other elements than these and floats are
/// only selected. Null after a report.
mlir::Value resampled(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<Taps> taps);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_RESAMPLING_H
