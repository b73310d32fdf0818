//===- StepFilter.h - Optional steps of a compilation -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_STEPFILTER_H
#define AVOCET_COMPILER_LIB_PIPELINE_STEPFILTER_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"

namespace avocet::compiler {

/// Asks CompileRequest::runsStep, if it is set, before each optional step of a compilation: an action handler of the
/// context while the object exists. Otherwise nothing. One thread.
class StepFilter {
public:
  /// Both are borrowed.
  StepFilter(const CompileRequest &request, mlir::MLIRContext *context);
  ~StepFilter();
  StepFilter(const StepFilter &) = delete;
  StepFilter &operator=(const StepFilter &) = delete;

  /// The phase of the steps that follow.
  void enter(Phase phase) { phase_ = phase; }

private:
  using Work = llvm::function_ref<void()>;
  void handle(Work work, const mlir::tracing::Action &action);
  void runTransform(Work work, llvm::StringRef name, mlir::Operation *op);
  void runRewrite(Work work, const std::string &pattern, mlir::Operation *op);
  bool wants(OptionalStep::Kind kind, llvm::StringRef pattern, mlir::Operation *op) const;

  const CompileRequest &request_;
  mlir::MLIRContext *context_;
  Phase phase_ = Phase::Import;
  llvm::StringRef transform_; ///< that is running; empty: none
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_STEPFILTER_H
