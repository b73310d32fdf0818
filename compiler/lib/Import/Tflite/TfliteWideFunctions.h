//===- TfliteWideFunctions.h - Functions of 16-bit numbers ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEWIDEFUNCTIONS_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEWIDEFUNCTIONS_H

#include "TfliteGraph.h"

namespace avocet::compiler {

/// EXP, LOG, RSQRT and SQRT, of 16-bit quantised numbers by arithmetic of other operations, of others by nn.unary.
mlir::LogicalResult convertExp(TfliteOperator &op);
mlir::LogicalResult convertLog(TfliteOperator &op);
mlir::LogicalResult convertRsqrt(TfliteOperator &op);
mlir::LogicalResult convertSqrt(TfliteOperator &op);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEWIDEFUNCTIONS_H
