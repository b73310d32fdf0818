//===- CompilerGate.h - The compiler as the driver uses it ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H

#include "avocet/compiler/Compiler.h"
#include "execution/Deadline.h"
#include "model/ModelBytes.h"

#include <string>

namespace avocet::hal {

/// What the driver wants of the compiler.
enum class CompilerTask {
  Compile,    ///< a model as the client gave it
  Specialise, ///< a model whose open extents and values an execution has filled in
  Judge,      ///< no artefacts, only what the target cannot run (CompileRequest::supportOnly)
};

/// Compiles for one target, and translates deadlines and results. Where the compiler runs is for its two kinds to
/// decide (LocalCompiler, WorkerCompiler). Threads: all methods from any.
class CompilerGate {
public:
  explicit CompilerGate(std::string target) : target_(std::move(target)) {}
  virtual ~CompilerGate() = default;
  CompilerGate(const CompilerGate &) = delete;
  CompilerGate &operator=(const CompilerGate &) = delete;

  /// What the compiler says to a model. The result's status may be an error:
  /// see errorOf(). An Error of its own: there is no compiler. Gives up when the limit is over.
  Result<compiler::CompileResult> compile(std::span<const uint8_t> model,
                                          const std::vector<std::span<const uint8_t>> &pools, const CallLimit &limit,
                                          compiler::InputFormat format = compiler::InputFormat::Nnapi,
                                          CompilerTask task = CompilerTask::Compile);

private:
  virtual Result<compiler::CompileResult> run(const compiler::CompileRequest &request) = 0;

  const std::string target_;
};

/// Why a compilation failed, with the compiler's own words; CallLimit::whyOver() if it was cancelled.
Error errorOf(const compiler::CompileResult &result, const CallLimit &limit);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H
