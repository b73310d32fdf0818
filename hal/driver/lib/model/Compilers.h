//===- Compilers.h - Compilation in this process and in a compile worker ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERS_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERS_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Loader.h"
#include "avocet/hal/worker/CompileWorkers.h"
#include "model/CompilerGate.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace avocet::hal {

/// A compilation has the priority of its thread. Loads the compiler's library on first use; for its path see
/// LoadedCompiler::load().
class LocalCompiler final : public CompilerGate {
public:
  using Inspect = std::function<Status(const compiler::CompileResult &)>;

  /// `inspect`: as in DriverOptions.
  LocalCompiler(std::string library, std::string target, Inspect inspect)
      : CompilerGate(std::move(target)), library_(std::move(library)), inspect_(std::move(inspect)) {}

private:
  Result<compiler::CompileResult> run(compiler::CompileRequest &request, bool isBackground) override;
  Result<compiler::Verdict> run(compiler::JudgeRequest &request) override;
  std::string_view place() const override { return "in this process"; }
  Result<compiler::LoadedCompiler> load();

  const std::string library_;
  const Inspect inspect_; ///< may be empty
  std::mutex mutex_;      ///< guards compiler_
  std::optional<compiler::LoadedCompiler> compiler_;
};

/// Cycles of one inference on a simulated device of its own, without values, for CompileRequest::simulate. The back end
/// "sim" must be registered. Any thread.
avocet::Result<uint64_t> simulatedCycles(const std::string &target, std::span<const uint8_t> modelCache,
                                         std::span<const uint8_t> dataCache);

/// Runs each compilation in a separate process. Several devices may share the workers.
class WorkerCompiler final : public CompilerGate {
public:
  WorkerCompiler(std::shared_ptr<CompileWorkers> workers, std::string target)
      : CompilerGate(std::move(target)), workers_(std::move(workers)) {}

private:
  Result<compiler::CompileResult> run(compiler::CompileRequest &request, bool isBackground) override {
    return workers_->compile(request, isBackground ? Urgency::Background : Urgency::Foreground);
  }
  Result<compiler::Verdict> run(compiler::JudgeRequest &request) override { return workers_->judge(request); }
  std::string_view place() const override { return "in a worker process"; }

  const std::shared_ptr<CompileWorkers> workers_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERS_H
