//===- Output.h - What a compilation gives ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_OUTPUT_H
#define AVOCET_COMPILER_LIB_PIPELINE_OUTPUT_H

#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace avocet::compiler {

struct ArtefactBytes {
  std::vector<uint8_t> model;
  std::vector<uint8_t> data;
};

/// Both artefacts of a module of the cmd level; on failure there is an error at the context.
llvm::LogicalResult emitArtefacts(mlir::ModuleOp module, ArtefactBytes &artefacts);

/// The module as text with all resources, or as bytecode.
llvm::LogicalResult printModule(mlir::ModuleOp module, IrFormat format, std::string &text);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_OUTPUT_H
