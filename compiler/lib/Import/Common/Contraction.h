//===- Contraction.h - Sums of products of named axes ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_CONTRACTION_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_CONTRACTION_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The product of the matrices in the last two axes of two operands, each of them transposed or not.
using MatrixProduct =
    llvm::function_ref<mlir::Value(mlir::Value lhs, mlir::Value rhs, bool transposeLhs, bool transposeRhs)>;

/// The sum of products that an equation of Einstein's notation describes, such as "bij,bjk->bik". "..." stands for any
/// axes, which broadcast; without "->" the letters that occur once are the result. Null after a report.
mlir::Value contraction(ImportedOperation &op, llvm::StringRef equation, llvm::ArrayRef<mlir::Value> operands,
                        MatrixProduct product);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CONTRACTION_H
