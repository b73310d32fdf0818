//===- DynamicInput.h - Inputs quantized at run time ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_DYNAMICINPUT_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_DYNAMICINPUT_H

#include "Placement.h"

namespace avocet::compiler {

struct DynamicInput {
  mlir::Value values; ///< i8, in the shape of the input
  mlir::Value record; ///< firmware::DynamicRecord with their scale
};

/// Quantizes the f32 storage of a hybrid operation's input with a scale that follows from its values, around a zero
/// point if `asymmetric`. Maps of many rows are quantized by several commands, of which those on rows run beside the
/// commands of other engines that make and read the rows.
mlir::FailureOr<DynamicInput> quantizeAtRunTime(mlir::Operation *op, mlir::Value input, bool asymmetric,
                                                Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_DYNAMICINPUT_H
