//===- StoredBytes.h - Bytes of constants in the data cache -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes the constants of a network are as stored, whatever the placement makes of them. What the device must
// read at least is computed from these.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STOREDBYTES_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STOREDBYTES_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "llvm/ADT/DenseSet.h"

namespace avocet::compiler {

/// A constant as stored. Elements are stored plainly.
uint64_t storedBytes(nn::ConstantOp constant);

/// Channel records of an operation, which hold its bias and scales.
uint64_t recordBytes(const nn::Work &work);

/// Bytes of the constants that an operation reads. Each constant of `counted` counts once; those that the operation
/// reads are added. An operation that only moves elements reads no more of a constant than it makes.
uint64_t constantBytesOf(mlir::Operation *op, const nn::Work &work, llvm::DenseSet<mlir::Operation *> &counted);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_STOREDBYTES_H
