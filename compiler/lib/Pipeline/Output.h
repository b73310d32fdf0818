//===- Output.h - Output of a compilation -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_OUTPUT_H
#define AVOCET_COMPILER_LIB_PIPELINE_OUTPUT_H

#include "avocet/compiler/Compiler.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::compiler {

struct ArtefactBytes {
  std::shared_ptr<llvm::MemoryBuffer> input; ///< that the module was read from, if `data` may lie in it
  std::vector<uint8_t> model;
  mlir::AsmResourceBlob data;
};

/// Both artefacts of a module of the cmd level, which loses its constants; on failure there is an error at the context.
llvm::LogicalResult emitArtefacts(mlir::ModuleOp module, ArtefactBytes &artefacts);

/// Stands for the rest of a list of scales in text for readers.
inline constexpr llvm::StringLiteral kScalesLeftOut = ", ... ";

/// The module as text with all resources, as text for readers (Compiler.h), or as bytecode.
llvm::LogicalResult printModule(mlir::ModuleOp module, IrFormat format, std::string &text);

/// The module as text for readers: without locations and the elements of large constants.
void printElided(mlir::ModuleOp module, std::string &text);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_OUTPUT_H
