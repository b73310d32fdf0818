//===- Elements.h - Helpers of element-wise converters ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_ELEMENTS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_ELEMENTS_H

#include "NnapiGraph.h"

namespace avocet::compiler {

/// The type of result 0 of an operation whose inputs broadcast; null after a reported problem.
mlir::RankedTensorType broadcastResult(NnapiOperation &op, mlir::Value lhs, mlir::Value rhs);

/// A quantised value converted to the scale of `element`; other values, and values of that type, unchanged.
mlir::Value requantized(NnapiOperation &op, mlir::Value value, mlir::Type element);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_ELEMENTS_H
