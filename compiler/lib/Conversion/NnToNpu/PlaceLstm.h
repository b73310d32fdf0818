//===- PlaceLstm.h - LSTM over a sequence on the vector DSP -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of whole sequences (kernels/dsp/Lstm.h) are faster than those of cells with all optional parts.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACELSTM_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACELSTM_H

#include "Placement.h"

namespace avocet::compiler {

/// One sequence with constant weights and none of the optional parts.
bool isPlainSequence(nn::LstmCellOp op);
/// Requires isPlainSequence().
mlir::LogicalResult placePlainSequence(nn::LstmCellOp op, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACELSTM_H
