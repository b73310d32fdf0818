//===- HybridRows.h - Rows that have their own run-time scale ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_HYBRIDROWS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_HYBRIDROWS_H

#include "MacLayer.h"

namespace avocet::compiler {

/// Places a layer of 8-bit weights once for each row of `storage`, which becomes 8-bit numbers with a scale of its own.
/// The layer's shapes are those of one row. Binds the operation's result.
mlir::LogicalResult placeHybridRows(MacLayer layer, mlir::Value storage, int64_t rows, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_HYBRIDROWS_H
