//===- Input.h - Input of a compilation -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_INPUT_H
#define AVOCET_COMPILER_LIB_PIPELINE_INPUT_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Import/NnapiImport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace avocet::compiler {

struct InputFile {
  std::shared_ptr<llvm::MemoryBuffer> buffer; ///< its identifier is the path
  InputFormat format = InputFormat::Mlir;     ///< Mlir, Bytecode, or a format that enters at the phase import
  std::string signature = {};                 ///< entry point of a TFLite model, may be empty
  std::vector<InputShape> shapes = {};        ///< of inputs of a TFLite model
  bool keepsRefused = false;                  ///< see RefusedOperators::Keep
  bool isModel() const { return format == InputFormat::Tflite || format == InputFormat::Nnapi; }
};

/// Opens the request's model; a file is mapped. Errors: NotFound, InvalidArgument (no regular file, a format that
/// contradicts the content).
Result<InputFile> openInput(const CompileRequest &request);

/// Null on failure, with diagnostics at the context, or if `needs` requests specialisation of an NNAPI model. The
/// module is named after the file.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext *context, const InputFile &input,
                                              std::span<const std::span<const uint8_t>> pools, NnapiNeeds &needs,
                                              const NnapiOptions &options);

/// Parses text or bytecode; does not verify the module.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext *context, const InputFile &input);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_INPUT_H
