//===- CompilerGate.h - The driver's interface to the compiler --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H

#include "avocet/compiler/Compiler.h"
#include "device/Counters.h"
#include "execution/Deadline.h"
#include "model/ModelBytes.h"

#include <string>

namespace avocet::hal {

/// How to compile.
struct CompileOrder {
  compiler::InputFormat format = compiler::InputFormat::Nnapi;
  bool isSpecialized = false;                     ///< CompileRequest::isSpecialized
  uint32_t optimize = compiler::kDefaultOptimize; ///< CompileRequest::optimize
  bool isBackground = false;                      ///< other processes and threads come first
};

/// Compiles for one target, and translates deadlines and results. The two subclasses run the compiler in this process
/// (LocalCompiler) or in others (WorkerCompiler). Thread-safe.
class CompilerGate {
public:
  explicit CompilerGate(std::string target) : target_(std::move(target)) {}
  virtual ~CompilerGate() = default;
  CompilerGate(const CompilerGate &) = delete;
  CompilerGate &operator=(const CompilerGate &) = delete;

  /// Compiles a model. The result's status may be an error: see errorOf(). An Error instead of a result: there is no
  /// compiler. Cancelled when the limit is over.
  Result<compiler::CompileResult> compile(std::span<const uint8_t> model,
                                          const std::vector<std::span<const uint8_t>> &pools, const CallLimit &limit,
                                          const CompileOrder &order);

  /// The operations that the target cannot run. Errors as for compile().
  Result<compiler::Verdict> judge(std::span<const uint8_t> model, const std::vector<std::span<const uint8_t>> &pools,
                                  const CallLimit &limit, compiler::InputFormat format);

  /// Calls of compile() and judge() that have ended, and their time.
  uint64_t runs() const { return runs_.value(); }
  uint64_t nanoseconds() const { return nanoseconds_.value(); }

protected:
  const std::string &target() const { return target_; }

private:
  virtual Result<compiler::CompileResult> run(compiler::CompileRequest &request, bool isBackground) = 0;
  virtual Result<compiler::Verdict> run(compiler::JudgeRequest &request) = 0;
  /// Runs a request, and counts and logs it as a kind of work with details.
  template <typename Answer, typename Run>
  Result<Answer> observe(std::string_view what, std::string_view detail, Run &&run);
  /// Where run() compiles: "in this process", "in a worker process".
  virtual std::string_view place() const = 0;

  const std::string target_;
  Counter runs_, nanoseconds_;
};

/// The error of a failed compilation, with the compiler's message; CallLimit::whyOver() if it was cancelled.
Error errorOf(const compiler::Verdict &verdict, const CallLimit &limit);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H
