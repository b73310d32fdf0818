//===- Artefacts.h - The cmd level and the two artefacts --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts a cmd.program to the model cache and the data cache, and a model cache back to a cmd.program. The way back
// loses source locations and the bytes of the constants, which are in the data cache. Writing a model cache that was
// read reproduces it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_EMIT_ARTEFACTS_H
#define AVOCET_COMPILER_LIB_EMIT_ARTEFACTS_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/cache/ModelDescription.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::compiler {

/// The only cmd.program of a module; null, with an error at the module, if there is none or more than one.
cmd::ProgramOp programOf(mlir::ModuleOp module);

/// The bytes of the model cache, verified by the reader. Errors are emitted at the program.
mlir::FailureOr<std::vector<uint8_t>> emitModelCache(cmd::ProgramOp program);

/// The bytes of the data cache, which the program loses; they may lie in the text or bytecode that it was read from.
/// Fails if the program has constants and does not carry them (it came from a model cache alone).
mlir::FailureOr<mlir::AsmResourceBlob> takeDataCache(cmd::ProgramOp program);

/// The module of a model cache. `data`, if not empty, becomes the cmd.data. Fails with an error at `location`.
mlir::OwningOpRef<mlir::ModuleOp> readModelCache(mlir::MLIRContext *context, mlir::Location location,
                                                 const cache::ModelCache &model, std::span<const uint8_t> data);

/// Builds a program from a description without its streams; `model.streams` must be empty.
cmd::ProgramOp buildProgram(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                            const cache::ModelDescription &model, uint32_t semaphores);

/// Appends the cmd.data of a program. The resource blob takes ownership of `data`.
void appendData(mlir::OpBuilder &builder, mlir::Location location, std::vector<uint8_t> data);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_EMIT_ARTEFACTS_H
