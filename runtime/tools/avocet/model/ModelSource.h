//===- ModelSource.h - Models for commands ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of a command line, with a progress line and messages of the compiler. avocet/network/ModelSource.h loads them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_MODELSOURCE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_MODELSOURCE_H

#include "OpenInputOptions.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/network/ModelSource.h"
#include "avocet/session/Session.h"
#include "output/Progress.h"

namespace avocet::tool {

enum class DiagnosticsFormat {
  Text,
  Json,
  TextWithoutRefusals ///< as Text, but nothing if there are refusals, which the caller presents
};

using network::ModelChoice;
using session::LoadedModel;

/// Shows a progress line, and prints the compiler's diagnostics: as text on the standard error stream, or, if the
/// compilation failed and `format` is Json, as one JSON object on the standard output. Errors of the compiler itself
/// leave a reproducer.
class PrintingObserver final : public network::Observer {
public:
  PrintingObserver(Progress &progress, DiagnosticsFormat format) : progress_(progress), format_(format) {}

  void stage(std::string_view text) override { progress_.stage(text); }
  void update(std::string_view text) override { progress_.update(text); }
  void phase(std::string_view model, std::string_view phase, uint32_t index, uint32_t count) override;
  void clear() override { progress_.clear(); }
  void beforeCompiler() override;
  void answered(const compiler::LoadedCompiler &compiler, const compiler::CompileRequest &request,
                compiler::CompileResult &result) override;
  void answered(const compiler::LoadedCompiler &compiler, const compiler::DivideRequest &request,
                compiler::DivideResult &result) override;

private:
  Progress &progress_;
  const DiagnosticsFormat format_;
};

/// The functions of avocet/network/ModelSource.h with such an observer.
Result<compiler::CompileResult> compileModel(compiler::CompileRequest request, DiagnosticsFormat format,
                                             Progress &progress);
Result<compiler::DivideResult> divideModel(compiler::DivideRequest request, DiagnosticsFormat format,
                                           Progress &progress);
Result<LoadedModel> loadModel(const ModelChoice &choice, DiagnosticsFormat format, Progress &progress);

inline constexpr const char *kSignatureHelp =
    "Entry point of a .tflite model: the key of its signature; default: the first subgraph";

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_MODELSOURCE_H
