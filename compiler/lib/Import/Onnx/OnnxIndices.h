//===- OnnxIndices.h - Indices of lookups -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that return a value return null after a report, or if an operand is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXINDICES_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXINDICES_H

#include "OnnxGraph.h"

namespace avocet::compiler {

/// The integers of a value that is known before the device runs, of any number if it is a constant.
std::optional<Integers> integersOf(OnnxOperation &op, mlir::Value value);

/// Indices as i32, of which negative ones count from the end of the axis. The last axis of the indices has one for each
/// of `extents`, if there are several. Known indices outside of their axis are malformed.
mlir::Value indicesOf(OnnxOperation &op, mlir::Value indices, llvm::ArrayRef<int64_t> extents);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXINDICES_H
