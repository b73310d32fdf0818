//===- SplitChannels.h - Convolutions in parts of inner channels -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SPLITCHANNELS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SPLITCHANNELS_H

#include "Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler {

/// Splits the channels of large float maps between convolutions: a convolution that makes the map, depthwise ones that
/// follow it, and the one that reads the result become one convolution for each part of the channels. The last ones
/// add up: each adds the sum of those before it in its output stage. Then only a part of the map is in SRAM at a time,
/// and each weight is loaded once. Split are those that would otherwise load weights again and again, or store the map
/// off chip, and that the off-chip port limits. Sums of floats have another order than without the split.
void splitChannels(mlir::func::FuncOp placed, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SPLITCHANNELS_H
