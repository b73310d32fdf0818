//===- ReorderedConstants.h - Constants with moved elements -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_REORDEREDCONSTANTS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_REORDEREDCONSTANTS_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace avocet::compiler::nn {

/// Whether the bytes of the constant are there.
bool hasBytes(ConstantOp op);

/// The constant with element order[i] of the axis, and its scale, in place i. The bytes are there.
ConstantOp reordered(ConstantOp op, unsigned axis, llvm::ArrayRef<int64_t> order, mlir::PatternRewriter &rewriter);

/// The constant with axis order[i] in place i, with a shape of as many elements, after the constant itself. The bytes
/// are there, and the constant has one scale or none.
ConstantOp transposed(ConstantOp op, llvm::ArrayRef<int64_t> order, llvm::ArrayRef<int64_t> shape);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_REORDEREDCONSTANTS_H
