//===- ModelSource.cpp - Models from files and directories ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSource.h"

#include "Diagnostics.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Trace.h"
#include "avocet/compiler/Loader.h"

#include <chrono>
#include <filesystem>
#include <fmt/core.h>

namespace avocet::tool {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<LoadedModel> loadArtefacts(const std::string &directory, const std::string &target) {
  LoadedModel loaded;
  AVOCET_ASSIGN_OR_RETURN(loaded.artefacts, cache::readArtefacts(directory));
  const cache::ModelCache &model = *loaded.artefacts.model;
  std::string targetName = target.empty() ? std::string(model.targetName()) : target;
  AVOCET_ASSIGN_OR_RETURN(loaded.target, firmware::Target::load(targetName));
  if (Status status = model.requireTarget(*loaded.target); !status.isOk())
    return std::move(status).withContext(directory);
  loaded.name = std::string(model.modelName());
  return loaded;
}

/// Copies out of the compiler's memory: a few hundred kilobytes for the model cache. The constants are copied to a
/// memory file, because back ends import them.
Result<LoadedModel> adoptResult(const std::string &path, const compiler::CompileResult &result) {
  LoadedModel loaded;
  std::vector<uint8_t> bytes(result.modelCache.begin(), result.modelCache.end());
  AVOCET_ASSIGN_OR_RETURN(loaded.artefacts.model, cache::ModelCache::adopt(std::move(bytes), path));
  AVOCET_ASSIGN_OR_RETURN(loaded.artefacts.data, cache::DataCache::fromBytes(result.dataCache));
  loaded.name = std::string(loaded.artefacts.model->modelName());
  return loaded;
}

Result<LoadedModel> compileAndLoad(const ModelChoice &choice, DiagnosticsFormat format, Progress &progress) {
  auto start = Clock::now();
  compiler::CompileRequest request;
  request.modelPath = choice.path;
  request.target = choice.target.empty() ? knobText(knobs::kTarget) : choice.target;
  request.signature = choice.signature;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const firmware::Target> loadedTarget, firmware::Target::load(request.target));
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result, compileModel(std::move(request), format, progress));
  AVOCET_ASSIGN_OR_RETURN(LoadedModel loaded, adoptResult(choice.path, result));
  loaded.target = std::move(loadedTarget);
  loaded.compileMs = millisecondsSince(start);
  return loaded;
}

} // namespace

Result<compiler::CompileResult> compileModel(compiler::CompileRequest request, DiagnosticsFormat format,
                                             Progress &progress) {
  TraceSpan span("compile");
  progress.stage("loading the compiler");
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  request.progress = [&](std::string_view phase, uint32_t index, uint32_t count) {
    progress.stage(fmt::format("compiling {}: {} ({} of {})", request.modelPath, phase, index + 1, count));
  };
  compiler::CompileResult result = compiler.compile(request);
  progress.clear();
  printDiagnostics(result, format);
  if (!result.status.isOk())
    return result.status;
  return result;
}

Result<LoadedModel> loadModel(const ModelChoice &choice, DiagnosticsFormat format, Progress &progress) {
  const std::string &path = choice.path;
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return notFound(fmt::format("{}: there is no such file or directory; give a .tflite or .mlir file, or a directory "
                                "that 'avocet compile' wrote",
                                path));
  if (!std::filesystem::is_directory(status))
    return compileAndLoad(choice, format, progress);
  if (!cache::isArtefactDir(path))
    return notFound(
        fmt::format("{}: holds no {}; make it with 'avocet compile MODEL -o {}'", path, cache::kModelFileName, path));
  if (!choice.signature.empty())
    return invalidArgument(fmt::format("{}: artefacts hold one entry point already; leave out --signature", path));
  return loadArtefacts(path, choice.target);
}

} // namespace avocet::tool
