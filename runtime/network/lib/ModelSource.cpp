//===- ModelSource.cpp - Models from files and directories ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/network/ModelSource.h"

#include "HeldAnswers.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Trace.h"
#include "avocet/compiler/Loader.h"
#include "avocet/network/BytecodeInput.h"
#include "avocet/network/Division.h"
#include "avocet/network/HintFiles.h"
#include "avocet/network/Observer.h"
#include "avocet/network/Optimization.h"
#include "avocet/session/Session.h"
#include "avocet/session/TargetFile.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <optional>
#include <thread>

namespace avocet::network {
namespace {

using Clock = std::chrono::steady_clock;
using session::LoadedModel;

Result<LoadedModel> loadArtefacts(const ModelChoice &choice) {
  LoadedModel loaded;
  const cache::DataCheck check = choice.trustData ? cache::DataCheck::Identity : cache::DataCheck::Hash;
  AVOCET_ASSIGN_OR_RETURN(loaded.artefacts, cache::readArtefacts(choice.path, check));
  AVOCET_ASSIGN_OR_RETURN(loaded.target,
                          session::targetOfArtefacts(choice.path, *loaded.artefacts.model, choice.target));
  loaded.name = std::string(loaded.artefacts.model->modelName());
  return loaded;
}

} // namespace

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

Result<compiler::CompileRequest> requestOf(const ModelChoice &choice) {
  compiler::CompileRequest request;
  request.modelPath = choice.path;
  request.modelBytes = choice.bytes;
  request.format = choice.format;
  request.target = choice.target.empty() ? knobText(knobs::kTarget) : choice.target;
  request.prefersTargetOfModule = choice.target.empty();
  request.signature = choice.signature;
  request.sourceMap = choice.sourceMap;
  request.remark = choice.remark;
  AVOCET_RETURN_IF_ERROR(apply(choice.inputs, request));
  AVOCET_RETURN_IF_ERROR(setOptimization(request, choice.optimize));
  AVOCET_ASSIGN_OR_RETURN(request.hints, readHints(choice.hints));
  return request;
}

namespace {

Result<LoadedModel> compileAndLoad(const ModelChoice &choice, Observer &observer) {
  auto start = Clock::now();
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileRequest request, requestOf(choice));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const firmware::Target> loadedTarget, firmware::Target::load(request.target));
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result, compileModel(std::move(request), observer));
  AVOCET_ASSIGN_OR_RETURN(LoadedModel loaded, adoptResult(choice.path, result));
  loaded.target = std::move(loadedTarget);
  if (const auto name = loaded.artefacts.model->targetName(); choice.target.empty() && name != loaded.target->name()) {
    AVOCET_ASSIGN_OR_RETURN(loaded.target, firmware::Target::load(std::string(name))); // of IR that names it
  }
  loaded.compileMs = session::millisecondsSince(start);
  return loaded;
}

/// Lets the observer follow the search for schedules.
void showAlternatives(compiler::CompileRequest &request, Observer &observer) {
  request.alternative = [&observer, path = request.modelPath, next = std::move(request.alternative), count = 0u,
                         best = uint64_t(0)](const compiler::Alternative &alternative) mutable {
    ++count;
    if (alternative.isKept)
      best = alternative.simulatedCycles.value_or(alternative.predictedCycles);
    observer.update(fmt::format("compiling {}: {} schedules, best {} cycles", path, count, best));
    if (next)
      next(alternative);
  };
}

/// What the two do that have the compiler write something: loads it, and calls it with the observer.
template <typename Request, typename Ask>
auto runCompiler(Request request, Observer &observer, const Ask &ask)
    -> Result<decltype(ask(std::declval<compiler::LoadedCompiler &>(), request))> {
  TraceSpan span("compile");
  observer.stage("loading the compiler");
  observer.beforeCompiler();
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  request.progress = [&](std::string_view phase, uint32_t index, uint32_t count) {
    observer.phase(request.modelPath, phase, index, count);
  };
  request.cancelled = [&] { return observer.isCancelled(); };
  auto result = ask(compiler, request);
  observer.clear();
  observer.answered(compiler, request, result);
  if (!result.status.isOk())
    return result.status;
  return result;
}

} // namespace

Result<compiler::CompileResult> compileModel(compiler::CompileRequest request, Observer &observer) {
  showAlternatives(request, observer);
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  return runCompiler(std::move(request), observer, compileFile);
}

Result<compiler::DivideResult> divideModel(compiler::DivideRequest request, Observer &observer) {
  return runCompiler(std::move(request), observer, divideFile);
}

static Result<LoadedModel> compileOrDivide(const ModelChoice &choice, Observer &observer) {
  if (!choice.fallback)
    return compileAndLoad(choice, observer);
  const auto start = Clock::now();
  HeldAnswers held(observer);
  Result<LoadedModel> whole = compileAndLoad(choice, held);
  if (whole.status().code() != StatusCode::Unsupported)
    return whole;
  Result<LoadedModel> divided = loadDivided(choice, held);
  if (divided)
    divided->compileMs = session::millisecondsSince(start);
  else
    held.release();
  return divided;
}

Result<LoadedModel> loadModel(const ModelChoice &choice, Observer &observer) {
  const std::string &path = choice.path;
  if (!choice.bytes.empty())
    return compileOrDivide(choice, observer);
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return notFound(
        fmt::format("{}: there is no such file or directory; give a .tflite, .onnx or .mlir file, or a directory "
                    "that 'avocet compile' wrote",
                    path));
  if (!std::filesystem::is_directory(status))
    return compileOrDivide(choice, observer);
  if (std::filesystem::exists(std::filesystem::path(path) / "saved_model.pb", error))
    return dataLoss(path + ": is a TensorFlow SavedModel; convert it to .tflite with "
                           "tf.lite.TFLiteConverter.from_saved_model");
  if (isDivisionDir(path))
    return loadDivisionDir(choice, observer);
  if (!cache::isArtefactDir(path))
    return notFound(
        fmt::format("{}: holds no {}; make it with 'avocet compile MODEL -o {}'", path, cache::kModelFileName, path));
  if (!choice.signature.empty())
    return invalidArgument(fmt::format("{}: artefacts hold one entry point already; leave out --signature", path));
  if (choice.inputs.any())
    return invalidArgument(fmt::format(
        "{}: artefacts have fixed shapes and layouts; leave out --shape, --dim, --value and --layout", path));
  if (!choice.optimize.empty())
    return invalidArgument(fmt::format("{}: artefacts have a schedule already; leave out --optimize", path));
  if (!choice.hints.empty())
    return invalidArgument(fmt::format("{}: artefacts have a schedule already; leave out --hints", path));
  return loadArtefacts(choice);
}

} // namespace avocet::network
