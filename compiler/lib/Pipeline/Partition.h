//===- Partition.h - Networks between unsupported operators -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a function of nn operations, some of which cannot be compiled, into the largest networks without these. All
// operations that have the same greatest number of unsupported ones on a path from an input are one network, so that
// the networks and the unsupported operations between them run in turn.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_PARTITION_H
#define AVOCET_COMPILER_LIB_PIPELINE_PARTITION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace avocet::compiler {

struct PartitionPart {
  std::string name; ///< of its file
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

struct PartitionConstant {
  std::string name; ///< of its file
  std::vector<uint8_t> bytes;
};

struct Partition {
  std::vector<PartitionPart> parts;
  std::vector<PartitionConstant> constants; ///< that unsupported operations read, or that are outputs
  std::string description;                  ///< JSON, see compiler/docs/Partition.md
};

/// Whether an operation cannot be compiled, and why; empty: it can.
using UnsupportedReason = llvm::function_ref<std::string(mlir::Operation *)>;

/// Of a module of phase import whose function may contain stand-ins for unsupported operators (importTflite()).
Partition partition(mlir::ModuleOp module, UnsupportedReason reasonOf);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_PARTITION_H
