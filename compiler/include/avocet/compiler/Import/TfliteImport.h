//===- TfliteImport.h - From a TFLite file to the nn dialect ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way in for .tflite models.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_IMPORT_TFLITEIMPORT_H
#define AVOCET_COMPILER_IMPORT_TFLITEIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace avocet::compiler {

/// Reads the first subgraph of a TFLite flatbuffer as one function of nn operations. Constants are resource blobs that
/// point into `file`; the context keeps it alive, so it must not be changed while the context exists. The buffer's
/// identifier names the file in messages.
///
/// Null on failure, with diagnostics on the context: one error for a file that is no sound model (what is broken, and
/// where), or one refusal (Refusal.h) for each operation that cannot be expressed. Any bytes may be given.
///
/// Unknown dimensions take the extents that the file records beside them. `quantized_dimension` of 32-bit biases is not
/// looked at, since their scale follows from input and weights; some converters write one that does not exist.
mlir::OwningOpRef<mlir::ModuleOp> importTflite(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file);

/// Whether the bytes carry the identifier of a TFLite flatbuffer.
bool isTflite(llvm::StringRef bytes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_IMPORT_TFLITEIMPORT_H
