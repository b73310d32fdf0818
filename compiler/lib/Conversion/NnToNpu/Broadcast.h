//===- Broadcast.h - Operands that repeat along some axes -- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_BROADCAST_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_BROADCAST_H

#include "Placement.h"

#include "avocet/kernels/dsp/Binary.h"

#include <optional>

namespace avocet::compiler {

/// The storage shape of an operand that broadcasts to a result: every extent is that of the result's storage or 1. None
/// if the operand would have to repeat inside folded rows.
std::optional<StorageShape> broadcastStorage(mlir::Value value, mlir::ArrayRef<int64_t> result);

/// The same for any shapes: the outermost axis becomes rows, which the kernel "binary" reads with strides.
struct BroadcastRows {
  StorageShape lhs, rhs, result;
  kernels::BroadcastShape shape; ///< of a row
};
BroadcastRows broadcastRows(mlir::Value lhs, mlir::Value rhs, mlir::ArrayRef<int64_t> result);

/// Places `op` as the kernel "binary" of its first two operands; fills in parameters.shape.
mlir::LogicalResult placeBinary(mlir::Operation *op, kernels::BinaryParameters parameters, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_BROADCAST_H
