//===- TransposedLayer.h - Transposed convolutions on the array -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_TRANSPOSEDLAYER_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_TRANSPOSEDLAYER_H

#include "Placement.h"

namespace avocet::compiler {

/// Whether a transposed convolution can run as one convolution on the array: constant weights, one image, windows that
/// start on or just before the input, strides whose phases fit the words of a rearrangement, and results that fit into
/// SRAM twice.
bool arrayTakesTransposed(nn::TransposeConv2dOp op, Placement &placement);

/// Outputs whose positions agree modulo the strides (a phase) read the same part of the filter. One convolution makes
/// all phases as channels, then the DSP distributes them to their rows and columns.
mlir::LogicalResult placeTransposedOnArray(nn::TransposeConv2dOp op, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_TRANSPOSEDLAYER_H
