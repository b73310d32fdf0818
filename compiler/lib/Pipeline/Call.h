//===- Call.h - One call of the facade --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compile(), judge() and divide() have in common: target, input, context, and diagnostics with the statuses that
// follow from them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_CALL_H
#define AVOCET_COMPILER_LIB_PIPELINE_CALL_H

#include "CompileContext.h"
#include "Input.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/PassTarget.h"

#include "mlir/IR/Diagnostics.h"

namespace avocet::compiler {

/// One thread; it has the diagnostics of the context while it exists.
class Call {
public:
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

protected:
  /// All are borrowed. Diagnostics and refusals go to `verdict`.
  Call(const ModelRequest &request, CompileContext &context, Verdict &verdict);
  ~Call() = default;

  /// Whether a refusal is an error. Otherwise its diagnostic becomes a warning.
  virtual bool refuses(mlir::Diagnostic & /*diagnostic*/, const Refusal & /*refusal*/) { return true; }

  mlir::MLIRContext *mlir() const { return &context_.mlir(); }

  /// Sets target and input, and announces the import as the first of `steps` steps.
  Status open(uint32_t steps);
  /// Whether the import, which needs no specialization, has made a module.
  Status checkRead(const ImportNeeds &needs);
  /// Sets the module of an input that is MLIR text, or bytecode if the request names it.
  Status parse();
  /// Checks a module that was read, and its target: a schedule fits only the target that it was made for.
  Status checkBorder(Phase phase);

  /// Whether the target can run a module of phase import: places it, without the bytes of weights, and checks that each
  /// operation fits. Changes the module.
  mlir::LogicalResult judgeModule(mlir::ModuleOp module);
  /// The same for each operation of an NNAPI model that leaves extents or values open.
  Status judgeOperations();

  void announce(std::string_view name, uint32_t index, uint32_t steps) const;

  /// What a step that fails is due to, unless it has refused an operation.
  enum class Blame {
    Compiler, ///< it wrote the module
    Input,    ///< the module may have been edited
  };
  /// The status of a step that failed on a module which an earlier step wrote or checked.
  Status failureOf(std::string_view step, Blame blame = Blame::Compiler) const;
  /// The status of a failure that diagnostics describe: Unsupported if there are refusals, otherwise `code`. Its
  /// message is that of the first error.
  Status errorOf(StatusCode code, const std::string &fallback) const;

  const ModelRequest &request_;
  CompileContext &context_;
  Verdict &verdict_;
  InputFile input_; ///< the module's constants may refer to its bytes
  TargetPtr target_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;

private:
  Status chooseTargetOfModule();
  mlir::LogicalResult record(mlir::Diagnostic &diagnostic);
  void add(mlir::Diagnostic &diagnostic, bool isWarning = false);
  const Diagnostic *firstError() const;

  mlir::ScopedDiagnosticHandler handler_;
};

/// An answer without diagnostics, which came from unfinished work, if the caller has cancelled the call.
template <typename Answer> Answer unlessCancelled(const ModelRequest &request, Answer answer) {
  if (!isCancelled())
    return answer;
  return failedAnswer<Answer>(Status(StatusCode::Aborted, request.modelPath + ": the compilation was cancelled"));
}

/// The bytes of a text.
inline std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_CALL_H
