//===- CompileContext.h - MLIR context of a compilation ---------*- C++ -*-===//
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

/// An MLIR context with the passes on graphs. Used by one thread at a time.
class CompileContext {
public:
  CompileContext();

  mlir::MLIRContext &mlir() { return mlir_; }

  /// Accounts for a model of `bytes` bytes, which is about to be read.
  void noteModel(uint64_t bytes);

  /// Runs all passes up to placement, without verifiers. May be called repeatedly.
  llvm::LogicalResult runGraphPasses(mlir::ModuleOp module);

  /// Frees the bytes of constants; no module may exist. False: the context's tables may be large by now; only
  /// destroying the context frees them.
  bool reset();

private:
  mlir::MLIRContext mlir_;
  std::optional<mlir::PassManager> graphPasses_;
  uint64_t tableBytes_ = 0; ///< estimate of the memory of MLIR's uniqued objects
};

/// A context for a support query: one released by an earlier query, or a new one. Thread-safe.
std::unique_ptr<CompileContext> takeQuestionContext();

/// Keeps a context for the next query, unless it is large or enough others are kept already. Thread-safe.
void keepQuestionContext(std::unique_ptr<CompileContext> context);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_COMPILECONTEXT_H
