//===- Lookup.h - Lookups and hashes of all importers -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_LOOKUP_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_LOOKUP_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The declared types of the results of HASHTABLE_LOOKUP.
struct HashtableTypes {
  mlir::RankedTensorType output, hits;
};

/// Fails after a report if the shapes of the operands or of the results do not fit each other.
mlir::FailureOr<HashtableTypes> hashtableTypes(ImportedOperation &op, mlir::Value lookups, mlir::Value keys,
                                               mlir::Value values);

/// LSH_PROJECTION; `weights` may be null.
mlir::LogicalResult finishLshProjection(ImportedOperation &op, mlir::Value seeds, mlir::Value input,
                                        mlir::Value weights, nn::LshKind kind);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_LOOKUP_H
