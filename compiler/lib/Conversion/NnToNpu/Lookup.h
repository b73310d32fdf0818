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

/// Places `op` as a table look-up of its one operand. `function` maps a stored input value to the stored result, which
/// is clamped to the result's type. Both are 8-bit.
mlir::LogicalResult placeLookup(mlir::Operation *op, Placement &placement,
                                llvm::function_ref<int64_t(int32_t)> function);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LOOKUP_H
