//===- Input.h - Input of a compilation -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_INPUT_H
#define AVOCET_COMPILER_LIB_PIPELINE_INPUT_H

#include "Import/Nnapi/NnapiImport.h"
#include "Import/Onnx/OnnxImport.h"
#include "Import/Tflite/TfliteImport.h"
#include "Import/Tosa/TosaImport.h"
#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace avocet::compiler {

struct InputFile {
  std::shared_ptr<llvm::MemoryBuffer> buffer; ///< its identifier is the path
  InputFormat format = InputFormat::Mlir;     ///< Mlir, Bytecode, or a format that enters at the phase import
  bool isModel() const { return format != InputFormat::Mlir && format != InputFormat::Bytecode; }
};

/// "a TFLite model", "an NNAPI model" or "a TOSA model".
std::string titleOf(InputFormat model);

/// Opens the request's model; a file is mapped. Errors: NotFound, InvalidArgument (no regular file, or a member of the
/// request contradicts the content), DataLoss (not of the format that the request names).
Result<InputFile> openInput(const ModelRequest &request);

/// Null on failure, with diagnostics at the context, or if `needs` requests specialization of an NNAPI model. The
/// module is named after the file.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext *context, const InputFile &input,
                                              const ModelRequest &request, ImportNeeds &needs,
                                              const NnapiOptions &options,
                                              RefusedOperators refused = RefusedOperators::Fail);

/// InvalidArgument: MLIR is bytecode that the request does not name, or text that it names bytecode. Damaged bytecode
/// may end the process, so no caller reads it by accident.
Status checkBytecode(const ModelRequest &request, InputFormat found);

/// Parses text or bytecode; does not verify the module.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext *context, const InputFile &input);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_INPUT_H
