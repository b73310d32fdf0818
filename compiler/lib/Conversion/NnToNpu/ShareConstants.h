//===- ShareConstants.h - Equal constants become one ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SHARECONSTANTS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SHARECONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler {

/// Replaces constants by earlier ones with the same type and contents: those of a network, so that bounds count their
/// bytes once, or those of a placed function, where operations that read one filter have packed it once each.
void shareConstants(mlir::func::FuncOp function);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SHARECONSTANTS_H
