//===- CompileContext.h - What a compilation works in -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_COMPILECONTEXT_H
#define AVOCET_COMPILER_LIB_PIPELINE_COMPILECONTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace avocet::compiler {

/// An MLIR context, and the passes of the phase nn in it. One thread at a time.
class CompileContext {
public:
  CompileContext();

  mlir::MLIRContext &mlir() { return mlir_; }

  /// A model of so many bytes is going to be read.
  void noteModel(uint64_t bytes);

  /// Runs the phase nn, without verifiers. May be called often.
  llvm::LogicalResult runNn(mlir::ModuleOp module);

  /// Frees the bytes that constants refer to. No module may be left. False: the tables of the context may be large by
  /// now; they are freed with the context only.
  bool reset();

private:
  mlir::MLIRContext mlir_;
  std::optional<mlir::PassManager> nnPasses_;
  uint64_t tableBytes_ = 0; ///< estimate of what MLIR has made unique
};

/// A context for a question of support: one that an earlier question left, or a new one. Thread-safe.
std::unique_ptr<CompileContext> takeQuestionContext();

/// Keeps a context for the next question, unless it is large or others wait already. Thread-safe.
void keepQuestionContext(std::unique_ptr<CompileContext> context);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_COMPILECONTEXT_H
