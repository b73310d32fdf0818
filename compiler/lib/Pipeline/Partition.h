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

#include <optional>
#include <string>
#include <vector>

namespace avocet::compiler {

struct PartitionPart {
  std::string name; ///< of its file
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

struct PartitionData {
  std::string name; ///< of its file
  std::vector<uint8_t> bytes;
};

struct Partition {
  std::vector<PartitionPart> parts;     ///< for the target
  std::vector<PartitionPart> operators; ///< unsupported operations of the dialect, each alone, for another device
  std::vector<PartitionData> data;      ///< constants that applications read or that are outputs; attributes
  std::string description;              ///< JSON, see compiler/docs/Partition.md
};

/// Why an operation cannot be compiled.
struct Unsupported {
  std::string kind; ///< of the operator, as refusals call it
  std::string reason;
};

/// Nothing: the operation can be compiled.
using FindUnsupported = llvm::function_ref<std::optional<Unsupported>(mlir::Operation *)>;

/// Of a module of phase import whose function may contain stand-ins for unsupported operators
/// (Import/Common/KeptOperator.h).
Partition partition(mlir::ModuleOp module, FindUnsupported find);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_PARTITION_H
