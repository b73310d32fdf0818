//===- Determinants.h - Determinants of small matrices ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_DETERMINANTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_DETERMINANTS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

inline constexpr int64_t kMostDeterminantRows = 6;

/// The determinants of the square matrices in the last two axes, which have at most that many rows. Null after a
/// report.
mlir::Value determinants(ImportedOperation &op, mlir::Value matrices);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_DETERMINANTS_H
