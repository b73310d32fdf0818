//===- StoredFunctions.h - Functions of 8-bit numbers -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STOREDFUNCTIONS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STOREDFUNCTIONS_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <functional>

namespace avocet::compiler {

/// A function of a stored number of 8 bits; results are not clamped to their type.
using StoredFunction = std::function<int64_t(int32_t stored)>;

/// What an nn.clamp, nn.logistic, nn.table, nn.tanh or nn.unary of 8-bit numbers computes.
StoredFunction storedFunctionOf(mlir::Operation *op);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STOREDFUNCTIONS_H
