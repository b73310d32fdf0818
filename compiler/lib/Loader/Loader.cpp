//===- Loader.cpp - Loads the compiler on demand ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Loader.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/compiler/CompilerAbi.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

namespace avocet::compiler {
namespace {

constexpr const char *kLibraryName = "libavocetCompiler.so";

/// Paths to try, in order. An explicit path or the knob replaces all others.
std::vector<std::string> candidatePaths(const std::string &path) {
  if (!path.empty())
    return {path};
  if (std::string knob = knobText(knobs::kCompilerLibrary); !knob.empty())
    return {knob};
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    std::filesystem::path folder = program.parent_path();
    paths.push_back((folder.parent_path() / "lib" / kLibraryName).string());
    paths.push_back((folder / kLibraryName).string());
  }
  paths.push_back(kLibraryName);
  return paths;
}

Result<const AvocetCompilerApi *> apiOf(void *library, const std::string &path) {
  auto getApi = reinterpret_cast<AvocetCompilerGetApiFunction>(dlsym(library, "avocetCompilerGetApi"));
  if (!getApi)
    return failedPrecondition(path + " is not an Avocet compiler: it exports no avocetCompilerGetApi");
  for (uint32_t version = AVOCET_COMPILER_ABI_VERSION; version >= AVOCET_COMPILER_OLDEST_ABI_VERSION; --version)
    if (const AvocetCompilerApi *api = getApi(version))
      return api;
  return failedPrecondition(path + " does not support the interface versions " +
                            std::to_string(AVOCET_COMPILER_OLDEST_ABI_VERSION) + " to " +
                            std::to_string(AVOCET_COMPILER_ABI_VERSION));
}

/// Storage of the lists of a request.
struct RequestLists {
  std::vector<AvocetBytes> pools;
  std::vector<AvocetInputShape> shapes;
};

int32_t simulate(void *user, const AvocetBytes *modelCache, const AvocetBytes *dataCache, uint64_t *cycles,
                 char *message, size_t messageSize) {
  Result<uint64_t> result = static_cast<const CompileRequest *>(user)->simulate({modelCache->data, modelCache->size},
                                                                                {dataCache->data, dataCache->size});
  if (result) {
    *cycles = *result;
    return 0;
  }
  message[result.status().message().copy(message, messageSize - 1)] = 0;
  return static_cast<int32_t>(result.status().code());
}

void addSearch(AvocetCompileRequest &abi, const CompileRequest &request) {
  abi.optimise = request.optimise;
  abi.optimiseSeconds = request.optimiseSeconds;
  abi.threads = request.threads;
  if (request.simulate) {
    abi.simulate = simulate;
    abi.simulateUser = const_cast<CompileRequest *>(&request);
  }
  if (request.alternative) {
    abi.alternative = [](void *user, const AvocetAlternative *made) {
      Alternative alternative{made->what, made->predictedCycles, {}, made->isKept != 0};
      if (made->isSimulated)
        alternative.simulatedCycles = made->simulatedCycles;
      static_cast<const CompileRequest *>(user)->alternative(alternative);
    };
    abi.alternativeUser = const_cast<CompileRequest *>(&request);
  }
}

void addObserver(AvocetCompileRequest &abi, const CompileRequest &request) {
  abi.elidesConstants = request.elidesConstants;
  if (!request.afterPass)
    return;
  abi.afterPass = [](void *user, const AvocetPassResult *made) {
    static_cast<const CompileRequest *>(user)->afterPass(
        {made->phase, made->pass, made->isFailed != 0, {made->ir.data, made->ir.size}});
  };
  abi.afterPassUser = const_cast<CompileRequest *>(&request);
}

void addSteps(AvocetCompileRequest &abi, const CompileRequest &request) {
  if (!request.runsStep)
    return;
  abi.runsStep = [](void *user, const AvocetOptionalStep *made) -> int32_t {
    const auto subject = [made] {
      const char *location = "", *operation = "";
      made->subject(made->owner, &location, &operation);
      return OptionalStep::Subject{location, operation};
    };
    return static_cast<const CompileRequest *>(user)->runsStep(
        {static_cast<OptionalStep::Kind>(made->kind), made->phase, made->transform, made->pattern, subject});
  };
  abi.runsStepUser = const_cast<CompileRequest *>(&request);
}

void addRemarks(AvocetCompileRequest &abi, const CompileRequest &request) {
  if (!request.remark)
    return;
  abi.remark = [](void *user, const AvocetRemark *made) {
    std::vector<Remark::Argument> arguments;
    for (size_t i = 0; i < made->numArguments; ++i)
      arguments.push_back({made->arguments[i].key, made->arguments[i].value});
    static_cast<const CompileRequest *>(user)->remark(
        {static_cast<RemarkKind>(made->kind), made->category, made->name, made->location, arguments});
  };
  abi.remarkUser = const_cast<CompileRequest *>(&request);
}

AvocetCompileRequest toAbi(const CompileRequest &request, RequestLists &lists) {
  AvocetCompileRequest abi = {};
  abi.modelPath = request.modelPath.c_str();
  abi.modelBytes = {request.modelBytes.data(), request.modelBytes.size()};
  abi.format = static_cast<uint32_t>(request.format);
  abi.target = request.target.c_str();
  abi.stopAfter = request.stopAfter.c_str();
  abi.startAt = request.startAt.c_str();
  abi.signature = request.signature.c_str();
  abi.irFormat = static_cast<uint32_t>(request.irFormat);
  abi.supportOnly = request.supportOnly;
  abi.isSpecialised = request.isSpecialised;
  if (request.progress) {
    abi.progress = [](void *user, const char *phase, uint32_t index, uint32_t count) {
      static_cast<const CompileRequest *>(user)->progress(phase, index, count);
    };
    abi.progressUser = const_cast<CompileRequest *>(&request);
  }
  abi.partition = request.partition;
  abi.sourceMap = request.sourceMap;
  for (std::span<const uint8_t> pool : request.pools)
    lists.pools.push_back({pool.data(), pool.size()});
  abi.pools = lists.pools.data();
  abi.numPools = lists.pools.size();
  for (const InputShape &shape : request.shapes)
    lists.shapes.push_back({shape.name.c_str(), shape.extents.data(), shape.extents.size()});
  abi.shapes = lists.shapes.data();
  abi.numShapes = lists.shapes.size();
  if (request.cancelled) {
    abi.cancelled = [](void *user) -> int32_t { return static_cast<const CompileRequest *>(user)->cancelled(); };
    abi.cancelledUser = const_cast<CompileRequest *>(&request);
  }
  addSearch(abi, request);
  addObserver(abi, request);
  addSteps(abi, request);
  addRemarks(abi, request);
  return abi;
}

void copyLists(const AvocetCompileResult &abi, CompileResult &result) {
  for (size_t i = 0; i < abi.numDiagnostics; ++i) {
    const AvocetDiagnostic &diagnostic = abi.diagnostics[i];
    result.diagnostics.push_back({static_cast<Severity>(diagnostic.severity), diagnostic.location, diagnostic.message});
  }
  for (size_t i = 0; i < abi.numRefusals; ++i) {
    const AvocetRefusal &refusal = abi.refusals[i];
    result.refusals.push_back({refusal.location, refusal.operation, refusal.operand, refusal.rule, refusal.value,
                               refusal.limit, refusal.index});
  }
  for (size_t i = 0; i < abi.numPhases; ++i)
    result.phases.push_back({abi.phases[i].phase, abi.phases[i].milliseconds, abi.phases[i].peakMemoryBytes});
}

std::span<const uint8_t> toSpan(AvocetBytes bytes) { return {bytes.data, bytes.size}; }

} // namespace

Result<LoadedCompiler> LoadedCompiler::load(const std::string &path) {
  std::string tried;
  for (const std::string &candidate : candidatePaths(path)) {
    if (void *library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      AVOCET_ASSIGN_OR_RETURN(const AvocetCompilerApi *api, apiOf(library, candidate));
      LoadedCompiler loaded(api);
      logMessage(LogLevel::Debug, "compiler", "loaded {}, version {}", candidate, loaded.version());
      return loaded;
    }
    const char *reason = dlerror();
    tried += "\n  " + std::string(reason ? reason : candidate.c_str());
  }
  return notFound("the compiler library cannot be loaded:" + tried);
}

CompileResult LoadedCompiler::compile(const CompileRequest &request) const {
  if (request.runsStep && api_->version < AVOCET_COMPILER_ABI_VERSION) {
    CompileResult refused;
    refused.status = failedPrecondition("the compiler " + version() + " is too old to leave out steps");
    return refused;
  }
  RequestLists lists;
  AvocetCompileRequest abiRequest = toAbi(request, lists);
  const AvocetCompileResult *abi = api_->compile(&abiRequest);
  CompileResult result;
  result.storage = std::shared_ptr<const void>(
      abi, [destroy = api_->destroyResult](const void *p) { destroy(static_cast<const AvocetCompileResult *>(p)); });
  if (abi->statusCode != 0)
    result.status = Status(static_cast<StatusCode>(abi->statusCode), abi->statusMessage);
  result.modelCache = toSpan(abi->modelCache);
  result.dataCache = toSpan(abi->dataCache);
  result.ir = toSpan(abi->ir);
  for (size_t i = 0; i < abi->numFiles; ++i)
    result.files.push_back({abi->files[i].name, toSpan(abi->files[i].bytes)});
  copyLists(*abi, result);
  result.isTooLarge = abi->isTooLarge != 0;
  result.needsSpecialisation = abi->needsSpecialisation != 0;
  result.valueInputs.assign(abi->valueInputs, abi->valueInputs + abi->numValueInputs);
  return result;
}

std::string LoadedCompiler::version() const { return api_->compilerVersion; }

} // namespace avocet::compiler
