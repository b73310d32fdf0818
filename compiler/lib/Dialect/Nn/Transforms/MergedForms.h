//===- MergedForms.h - Operations with fewer axes ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_MERGEDFORMS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_MERGEDFORMS_H

#include "mlir/IR/Operation.h"

namespace avocet::compiler::nn {

using Shape = llvm::SmallVector<int64_t>;

/// The same operation on tensors with merged axes: the shape of each operand and result, and the attributes that
/// change. The elements keep their order.
struct MergedForm {
  llvm::SmallVector<Shape> operands, results;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// The form with the fewest axes that the operation's row finds; nullopt if the operation has no row.
std::optional<MergedForm> mergedForm(mlir::Operation *op);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_MERGEDFORMS_H
