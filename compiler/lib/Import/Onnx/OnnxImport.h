//===- OnnxImport.h - From an ONNX file to the nn dialect -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import of ONNX models.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXIMPORT_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXIMPORT_H

#include "Import/Common/ImportNeeds.h"
#include "Import/Common/KeptOperator.h"
#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <span>

namespace avocet::compiler {

/// What a model leaves open.
struct OnnxOptions {
  std::span<const InputShape> shapes;   ///< of inputs, by their names
  std::span<const NamedExtent> extents; ///< by the names that shapes of inputs use ("batch")
  std::span<const InputValue> values;   ///< of inputs that determine the program, such as the shape of a Reshape
  /// Of constants, by the numbers that the model uses. As `file`, they must not change while the context exists.
  std::span<const std::span<const uint8_t>> pools = {};
  /// Keep: results of refused nodes have the types that the file records for them (`value_info`, outputs).
  RefusedOperators refused = RefusedOperators::Fail;
};

/// Reads an ONNX file of IR version 3 to 13 and opsets 1 to 26 as a verified module of the nn dialect: one function
/// with names of inputs and outputs. Large constants are resource blobs that point into `file`, or into files of
/// external data beside it. The context keeps both alive, so their bytes must not change while the context exists. The
/// buffer's identifier is the path of the file, in whose folder external data must be.
///
/// Tensors of float64 are computed as f32. `needs` receives the names of inputs whose values the import needs and
/// `options` does not have.
///
/// Null on failure, with an error on the context that names the node. Accepts arbitrary bytes.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                             const OnnxOptions &options, ImportNeeds &needs);

/// Whether the bytes begin like an ONNX model. The format has no identifier.
bool isOnnx(llvm::StringRef bytes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXIMPORT_H
