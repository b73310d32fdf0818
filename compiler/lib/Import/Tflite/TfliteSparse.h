//===- TfliteSparse.h - Constants with few stored elements ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TFLite stores a sparse constant as a tree: one level per axis, and per axis inside blocks, in any order. A dense
// level has all positions of its axis under each node of the level above; a sparse one (CSR) lists them. Each leaf is a
// stored element; all other elements are zero (FormatConverter in
// tensorflow/lite/kernels/internal/utils/sparsity_format_converter).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITESPARSE_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITESPARSE_H

#include "Tflite_generated.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <vector>

namespace avocet::compiler {

/// For each stored element its position in the dense tensor of this shape (row-major), each position once at most.
/// Emits an error and fails if the description contradicts itself or the shape, or has another number of leaves than
/// `stored`.
mlir::FailureOr<std::vector<uint32_t>> positionsOfStored(mlir::Location location, const tflite::Sparsity &sparsity,
                                                         mlir::ArrayRef<int64_t> shape, uint64_t stored);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITESPARSE_H
