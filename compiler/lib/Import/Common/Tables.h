//===- Tables.h - Functions of few stored values ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of a byte has so few arguments that a table of its results is exact, whatever its arithmetic is.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_TABLES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_TABLES_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// A function of unsigned bytes, computed once for each argument.
using ByteFunction = llvm::function_ref<uint8_t(int32_t)>;

/// The function of each stored value of `input`, which has unsigned bytes; the results are stored values of `element`.
mlir::Value mapped(ImportedOperation &op, mlir::Value input, mlir::Type element, ByteFunction function);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_TABLES_H
