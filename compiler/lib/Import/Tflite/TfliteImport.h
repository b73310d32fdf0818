//===- TfliteImport.h - From a TFLite file to the nn dialect ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import of .tflite models.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEIMPORT_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEIMPORT_H

#include "Import/Common/KeptOperator.h"
#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <span>

namespace avocet::compiler {

/// Imports a TFLite flatbuffer as one function of nn operations: the first subgraph, or the one of the signature (entry
/// point) whose key is given, with its names of inputs and outputs. Constants are resource blobs that point into
/// `file`. The context keeps `file` alive, so its bytes must not change while the context exists. The buffer's
/// identifier names the file in messages.
///
/// Null on failure, with diagnostics on the context: one error with the place of the defect for an invalid file, or one
/// refusal (Refusal.h) per operation that cannot be expressed. Accepts arbitrary bytes.
///
/// Inputs of the function get the given shapes, and all other shapes follow from them (names are those of the
/// function's arguments, or of the tensors). Other inputs have the extents that the file records. The importer ignores
/// `quantized_dimension` of 32-bit biases, since their scale follows from input and weights and some converters write a
/// dimension that does not exist.
mlir::OwningOpRef<mlir::ModuleOp> importTflite(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                               llvm::StringRef signature = "", std::span<const InputShape> shapes = {},
                                               RefusedOperators refused = RefusedOperators::Fail);

/// Whether the bytes carry the identifier of a TFLite flatbuffer.
bool isTflite(llvm::StringRef bytes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEIMPORT_H
