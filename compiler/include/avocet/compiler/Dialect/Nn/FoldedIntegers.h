//===- FoldedIntegers.h - Operations on known integers ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations make of integers that the compiler knows, as networks compute them from shapes. The arithmetic is
// that of the kernels (avocet/kernels/IntegerFunctions.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_FOLDEDINTEGERS_H
#define AVOCET_COMPILER_DIALECT_NN_FOLDEDINTEGERS_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace avocet::compiler::nn {

/// The elements of a tensor of plain integers or truth values, row-major; truth values are 0 or 1.
using Integers = llvm::SmallVector<int64_t>;

/// Whether a tensor has plain integers or truth values, and at most 4 KiB of them. More is data, which the device
/// computes: a small file could ask for any amount of work.
bool hasFewIntegers(mlir::RankedTensorType type);

/// The elements of a constant; nullopt: it has other ones, too many, or its bytes are not known.
std::optional<Integers> integersOf(mlir::Attribute constant, mlir::RankedTensorType type);

/// The value of a constant of this type, which has few integers.
mlir::ElementsAttr elementsOf(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> integers);

/// The elements of the operation's result, which has few integers as its operands have. Nullopt: the operation is none
/// of those in FoldedIntegers.cpp, or the device reports an error for these operands.
std::optional<Integers> foldedIntegers(mlir::Operation *op, llvm::ArrayRef<Integers> operands);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_FOLDEDINTEGERS_H
