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

/// Places `op` as a change of the scale of its one operand, with a clamp of the stored results. The ratio of the scales
/// is of floats, as in the reference's activations.
mlir::LogicalResult placeRequantize(mlir::Operation *op, firmware::Clamp clamp, Placement &placement);
/// The same, with another factor than the ratio of the scales for numbers below 0.
mlir::LogicalResult placeSlope(mlir::Operation *op, double factor, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LOOKUP_H
