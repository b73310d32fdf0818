//===- CompilerGate.h - The compiler as the driver uses it ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H

#include "avocet/compiler/Loader.h"
#include "execution/Deadline.h"
#include "model/ModelBytes.h"

#include <mutex>
#include <optional>
#include <string>

namespace avocet::hal {

/// Loads the compiler's library on first use, and translates deadlines and results. Threads: all methods from any.
class CompilerGate {
public:
  CompilerGate(std::string library, std::string target) : library_(std::move(library)), target_(std::move(target)) {}

  /// What the compiler says to a model. The result's status may be an error:
  /// see errorOf(). An Error of its own: the library cannot be loaded. Gives up when the limit is over.
  Result<compiler::CompileResult> compile(std::span<const uint8_t> model,
                                          const std::vector<std::span<const uint8_t>> &pools, const CallLimit &limit,
                                          compiler::InputFormat format = compiler::InputFormat::Nnapi);

private:
  Result<compiler::LoadedCompiler> load();

  const std::string library_;
  const std::string target_;
  std::mutex mutex_; ///< guards compiler_
  std::optional<compiler::LoadedCompiler> compiler_;
};

/// Why a compilation failed, with the compiler's own words; CallLimit::whyOver() if it was cancelled.
Error errorOf(const compiler::CompileResult &result, const CallLimit &limit);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_COMPILERGATE_H
