//===- TfliteMove.h - What operators on parts share -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEMOVE_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEMOVE_H

#include "TfliteGraph.h"

namespace avocet::compiler {

/// The operand if the device computes it; a null value if it is known or omitted.
mlir::FailureOr<mlir::Value> computedOperand(TfliteOperator &op, uint32_t position, llvm::StringRef operand);

mlir::LogicalResult convertStridedSlice(TfliteOperator &op, const tflite::StridedSliceOptions &options);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEMOVE_H
