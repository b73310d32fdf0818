//===- PassObserver.h - The module after each pass -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_PASSOBSERVER_H
#define AVOCET_COMPILER_LIB_PIPELINE_PASSOBSERVER_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <string>

namespace avocet::compiler {

/// Calls CompileRequest::afterPass, if it is set. Otherwise every function does nothing. One thread.
class PassObserver {
public:
  explicit PassObserver(const CompileRequest &request) : request_(request) {}

  bool isOn() const { return static_cast<bool>(request_.afterPass); }

  /// Observes the passes of a manager, which belong to a phase.
  void observe(mlir::PassManager &manager, Phase phase);

  /// Of work that is no pass: the module that was read, or the result of a step.
  void note(Phase phase, mlir::StringRef step, mlir::ModuleOp module);
  void noteFailure(Phase phase, mlir::StringRef step);

private:
  class Instrumentation;
  void report(Phase phase, mlir::StringRef step, bool isFailed) const;
  std::string print(mlir::ModuleOp module) const;

  const CompileRequest &request_;
  std::string text_; ///< of the module when it was last reported
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_PASSOBSERVER_H
