//===- Moves.h - Pieces of operations that move elements ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NNAPI has as one operation is often a chain in the nn dialect. These create the links; each infers its result's
// shape, and gives a null value after a refusal if that is no tensor of the dialect, or if its input is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_MOVES_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_MOVES_H

#include "NnapiGraph.h"

namespace avocet::compiler {

/// The type of result `position` for elements of `input` under `shape`. Malformed if the model declares another element
/// type: moving changes neither type nor scale.
mlir::RankedTensorType movedType(NnapiOperation &op, uint32_t position, mlir::Value input,
                                 llvm::ArrayRef<int64_t> shape);

mlir::Value reshape(NnapiOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> shape);

/// `extents` elements along each axis, `strides` apart, from `begin`. All must lie inside the input.
mlir::Value slice(NnapiOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> extents,
                  llvm::ArrayRef<int64_t> strides);

/// Elements that stand for zero, or hold `value`, around the input; amounts are not negative.
mlir::Value pad(NnapiOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                std::optional<double> value = {});

/// Values of one element type that differ in the extent of the axis only.
mlir::Value concatenate(NnapiOperation &op, mlir::ValueRange inputs, int64_t axis);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_MOVES_H
