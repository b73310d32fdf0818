//===- Lookup.h - Functions of 8-bit values as tables -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LOOKUP_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LOOKUP_H

#include "Placement.h"

namespace avocet::compiler {

/// Makes the result of `op` a table look-up of its one operand. `function` takes a stored input value and gives the
/// stored result, which is clamped to the result's type. Both are 8-bit.
mlir::LogicalResult placeLookup(mlir::Operation *op, Placement &placement,
                                llvm::function_ref<int32_t(int32_t)> function);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LOOKUP_H
