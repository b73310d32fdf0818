//===- LocalCompiler.h - The compiler in this process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_LOCALCOMPILER_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_LOCALCOMPILER_H

#include "avocet/compiler/Loader.h"
#include "model/CompilerGate.h"

#include <functional>
#include <mutex>
#include <optional>
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

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_LOCALCOMPILER_H
