//===- TosaImport.h - From a TOSA file to the nn dialect --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import of .tosa models.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAIMPORT_H
#define AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace avocet::compiler {

/// Reads a TOSA flatbuffer of version 1.0, or of the draft of 1.1, as a verified module of the TOSA dialect: one
/// function with names of inputs and outputs. Large constants are resource blobs that point into `file`. The context
/// keeps `file` alive, so its bytes must not change while the context exists. The buffer's identifier names the file in
/// messages.
///
/// Null on failure, with an error on the context that names the place of the defect. Accepts arbitrary bytes.
mlir::OwningOpRef<mlir::ModuleOp> readTosa(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file);

/// The same, converted into the nn dialect (convertTosaToNn()).
mlir::OwningOpRef<mlir::ModuleOp> importTosa(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file);

/// Whether the bytes carry the identifier of a TOSA flatbuffer.
bool isTosa(llvm::StringRef bytes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAIMPORT_H
