//===- Moves.h - Operations that move elements ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One NNAPI operation is often a chain of operations in the nn dialect. Each function creates one of them and infers
// its shape. It returns null after a refusal if that is not a tensor of the dialect, or if its input is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_MOVES_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_MOVES_H

#include "NnapiGraph.h"

namespace avocet::compiler {

/// The type of result `position` for elements of `input` with shape `shape`. Malformed if the model declares another
/// element type: moving changes neither type nor scale.
mlir::RankedTensorType movedType(NnapiOperation &op, uint32_t position, mlir::Value input,
                                 llvm::ArrayRef<int64_t> shape);

mlir::Value reshape(NnapiOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> shape);

/// `extents` elements along each axis, `strides` apart, from `begin`. All must be inside the input.
mlir::Value slice(NnapiOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> extents,
                  llvm::ArrayRef<int64_t> strides);

/// Pads the input with zero, or with `value`; amounts are not negative.
mlir::Value pad(NnapiOperation &op, mlir::Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                std::optional<double> value = {});

/// Concatenates values of one element type that differ only in the extent of the axis.
mlir::Value concatenate(NnapiOperation &op, mlir::ValueRange inputs, int64_t axis);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_MOVES_H
