//===- Requantize.h - Changes of scale on the vector DSP ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_REQUANTIZE_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_REQUANTIZE_H

#include "Placement.h"

namespace avocet::compiler {

/// Places `op` as a change of the scale of its one operand, with a clamp of the stored results. The ratio of the scales
/// is of floats, as in the reference's activations.
mlir::LogicalResult placeRequantize(mlir::Operation *op, firmware::Clamp clamp, Placement &placement);
/// The same, with another factor than the ratio of the scales for numbers below 0.
mlir::LogicalResult placeSlope(mlir::Operation *op, double factor, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_REQUANTIZE_H
