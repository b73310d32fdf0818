//===- ModelSource.cpp - Models for commands ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSource.h"

#include "CompilerMessages.h"
#include "avocet/base/MachineMemory.h"
#include "debug/Reproducer.h"

#include <fmt/core.h>
#include <utility>

namespace avocet::tool {
namespace {

template <typename Request, typename Answer>
void present(const compiler::LoadedCompiler &compiler, const Request &request, Answer &result,
             DiagnosticsFormat format) {
  if (isInternalError(result)) {
    result.status = withReproducer(compiler, request, result.status);
    if (format != DiagnosticsFormat::Json) // in the reproducer; users get one sentence
      result.diagnostics.clear();
  }
  printDiagnostics(result, format);
}

} // namespace

void PrintingObserver::phase(std::string_view model, std::string_view phase, uint32_t index, uint32_t count) {
  progress_.stage(fmt::format("compiling {}: {} ({} of {})", model, phase, index + 1, count));
}

void PrintingObserver::beforeCompiler() { useLargePagesForHeap(); }

void PrintingObserver::answered(const compiler::LoadedCompiler &compiler, const compiler::CompileRequest &request,
                                compiler::CompileResult &result) {
  present(compiler, request, result, format_);
}

void PrintingObserver::answered(const compiler::LoadedCompiler &compiler, const compiler::DivideRequest &request,
                                compiler::DivideResult &result) {
  present(compiler, request, result, format_);
}

Result<compiler::CompileResult> compileModel(compiler::CompileRequest request, DiagnosticsFormat format,
                                             Progress &progress) {
  PrintingObserver observer(progress, format);
  return network::compileModel(std::move(request), observer);
}

Result<compiler::DivideResult> divideModel(compiler::DivideRequest request, DiagnosticsFormat format,
                                           Progress &progress) {
  PrintingObserver observer(progress, format);
  return network::divideModel(std::move(request), observer);
}

Result<LoadedModel> loadModel(const ModelChoice &choice, DiagnosticsFormat format, Progress &progress) {
  PrintingObserver observer(progress, format);
  return network::loadModel(choice, observer);
}

} // namespace avocet::tool
