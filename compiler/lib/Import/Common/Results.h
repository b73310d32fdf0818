//===- Results.h - Operations with several results --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_RESULTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_RESULTS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// Binds the values as the results of the operation, from position 0.
mlir::LogicalResult finishAll(ImportedOperation &op, mlir::ValueRange values);

/// Binds as many of the values as the model has results; more results are malformed.
mlir::LogicalResult finishDeclared(ImportedOperation &op, mlir::ArrayRef<mlir::Value> values);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_RESULTS_H
