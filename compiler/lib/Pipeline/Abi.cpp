//===- Abi.cpp - Binary interface of libavocetCompiler.so -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/CompilerAbi.h"

#include "avocet/base/Version.h"
#include "avocet/compiler/Compiler.h"

#include <cstring>
#include <exception>

namespace avocet::compiler {
namespace {

/// A result together with the storage of its pointers.
struct OwnedResult {
  AvocetCompileResult abi = {};
  CompileResult result;
  std::vector<AvocetDiagnostic> diagnostics;
  std::vector<AvocetRefusal> refusals;
  std::vector<AvocetPhaseCost> phases;
  std::vector<AvocetNamedFile> files;
};

const char *orEmpty(const char *text) { return text ? text : ""; }

AvocetBytes toAbi(std::span<const uint8_t> bytes) { return {bytes.data(), bytes.size()}; }

void addSearch(CompileRequest &request, const AvocetCompileRequest &abi) {
  request.optimise = abi.optimise;
  request.optimiseSeconds = abi.optimiseSeconds;
  request.threads = abi.threads;
  if (abi.simulate)
    request.simulate = [callback = abi.simulate,
                        user = abi.simulateUser](std::span<const uint8_t> modelCache,
                                                 std::span<const uint8_t> dataCache) -> Result<uint64_t> {
      const AvocetBytes model = toAbi(modelCache), data = toAbi(dataCache);
      uint64_t cycles = 0;
      char message[512] = "";
      const int32_t code = callback(user, &model, &data, &cycles, message, sizeof(message));
      return code ? Result<uint64_t>(Status(static_cast<StatusCode>(code), message)) : Result<uint64_t>(cycles);
    };
  if (abi.alternative)
    request.alternative = [callback = abi.alternative, user = abi.alternativeUser](const Alternative &made) {
      const std::string what(made.what);
      const AvocetAlternative alternative = {what.c_str(), made.predictedCycles, made.simulatedCycles.value_or(0),
                                             made.simulatedCycles.has_value(), made.isKept};
      callback(user, &alternative);
    };
}

void addObserver(CompileRequest &request, const AvocetCompileRequest &abi) {
  request.elidesConstants = abi.elidesConstants != 0;
  if (abi.afterPass)
    request.afterPass = [callback = abi.afterPass, user = abi.afterPassUser](const PassResult &made) {
      const std::string phase(made.phase), pass(made.pass);
      const AvocetPassResult result = {phase.c_str(), pass.c_str(), made.isFailed, toAbi(made.ir)};
      callback(user, &result);
    };
}

void addSteps(CompileRequest &request, const AvocetCompileRequest &abi) {
  if (!abi.runsStep)
    return;
  request.runsStep = [callback = abi.runsStep, user = abi.runsStepUser](const OptionalStep &made) {
    struct Owner {
      const OptionalStep &step;
      OptionalStep::Subject subject;
    } owner{made, {}};
    const auto describe = [](void *of, const char **location, const char **operation) {
      auto &described = *static_cast<Owner *>(of);
      described.subject = described.step.subject();
      *location = described.subject.location.c_str();
      *operation = described.subject.operation.c_str();
    };
    const std::string phase(made.phase), transform(made.transform), pattern(made.pattern);
    const AvocetOptionalStep step = {
        static_cast<uint32_t>(made.kind), phase.c_str(), transform.c_str(), pattern.c_str(), describe, &owner};
    return callback(user, &step) != 0;
  };
}

void addRemarks(CompileRequest &request, const AvocetCompileRequest &abi) {
  if (abi.remark)
    request.remark = [callback = abi.remark, user = abi.remarkUser](const Remark &made) {
      const std::string category(made.category), name(made.name), location(made.location);
      std::vector<std::string> texts;
      texts.reserve(made.arguments.size() * 2); // the pointers below must stay
      std::vector<AvocetRemarkArgument> arguments;
      for (const Remark::Argument &argument : made.arguments)
        arguments.push_back({texts.emplace_back(argument.key).c_str(), texts.emplace_back(argument.value).c_str()});
      const AvocetRemark remark = {static_cast<uint32_t>(made.kind),
                                   category.c_str(),
                                   name.c_str(),
                                   location.c_str(),
                                   arguments.data(),
                                   arguments.size()};
      callback(user, &remark);
    };
}

CompileRequest fromAbi(const AvocetCompileRequest &abi) {
  CompileRequest request;
  request.modelPath = orEmpty(abi.modelPath);
  request.modelBytes = {abi.modelBytes.data, abi.modelBytes.size};
  request.format = static_cast<InputFormat>(abi.format);
  request.target = orEmpty(abi.target);
  request.stopAfter = orEmpty(abi.stopAfter);
  request.startAt = orEmpty(abi.startAt);
  request.signature = orEmpty(abi.signature);
  request.irFormat = static_cast<IrFormat>(abi.irFormat);
  request.supportOnly = abi.supportOnly != 0;
  request.isSpecialised = abi.isSpecialised != 0;
  if (abi.progress)
    request.progress = [callback = abi.progress, user = abi.progressUser](std::string_view phase, uint32_t index,
                                                                          uint32_t count) {
      callback(user, std::string(phase).c_str(), index, count);
    };
  for (size_t pool = 0; pool < abi.numPools; ++pool)
    request.pools.push_back({abi.pools[pool].data, abi.pools[pool].size});
  request.partition = abi.partition != 0;
  request.sourceMap = abi.sourceMap != 0;
  for (size_t i = 0; i < abi.numShapes; ++i) {
    const AvocetInputShape &shape = abi.shapes[i];
    request.shapes.push_back({orEmpty(shape.name), {shape.extents, shape.extents + shape.rank}});
  }
  if (abi.cancelled)
    request.cancelled = [callback = abi.cancelled, user = abi.cancelledUser] { return callback(user) != 0; };
  addSearch(request, abi);
  addObserver(request, abi);
  addSteps(request, abi);
  addRemarks(request, abi);
  return request;
}

void fillLists(OwnedResult &owned) {
  for (const Diagnostic &entry : owned.result.diagnostics)
    owned.diagnostics.push_back({static_cast<uint32_t>(entry.severity), entry.location.c_str(), entry.message.c_str()});
  for (const Refusal &entry : owned.result.refusals)
    owned.refusals.push_back({entry.location.c_str(), entry.operation.c_str(), entry.operand.c_str(),
                              entry.rule.c_str(), entry.value.c_str(), entry.limit.c_str(), entry.index});
  for (const PhaseCost &entry : owned.result.phases)
    owned.phases.push_back({entry.phase.c_str(), entry.milliseconds, entry.peakMemoryBytes});
  for (const NamedFile &entry : owned.result.files)
    owned.files.push_back({entry.name.c_str(), toAbi(entry.bytes)});
}

const AvocetCompileResult *publish(std::unique_ptr<OwnedResult> owned) {
  fillLists(*owned);
  AvocetCompileResult &abi = owned->abi;
  abi.statusCode = static_cast<int32_t>(owned->result.status.code());
  abi.statusMessage = owned->result.status.message().c_str();
  abi.modelCache = toAbi(owned->result.modelCache);
  abi.dataCache = toAbi(owned->result.dataCache);
  abi.ir = toAbi(owned->result.ir);
  abi.diagnostics = owned->diagnostics.data();
  abi.numDiagnostics = owned->diagnostics.size();
  abi.refusals = owned->refusals.data();
  abi.numRefusals = owned->refusals.size();
  abi.phases = owned->phases.data();
  abi.numPhases = owned->phases.size();
  abi.needsSpecialisation = owned->result.needsSpecialisation;
  abi.isTooLarge = owned->result.isTooLarge;
  abi.valueInputs = owned->result.valueInputs.data();
  abi.numValueInputs = owned->result.valueInputs.size();
  abi.files = owned->files.data();
  abi.numFiles = owned->files.size();
  return &owned.release()->abi;
}

/// The standard library throws when memory runs out; exceptions must not cross the C interface.
CompileResult compileNoThrow(const AvocetCompileRequest &request) noexcept {
  CompileResult failed;
  try {
    return compile(fromAbi(request));
  } catch (const std::bad_alloc &) {
    failed.status = resourceExhausted("out of memory");
  } catch (const std::exception &error) {
    failed.status =
        internalError(orEmpty(request.modelPath) + std::string(": internal error of the compiler: ") + error.what());
  }
  return failed;
}

const AvocetCompileResult *compileAbi(const AvocetCompileRequest *request) {
  auto owned = std::make_unique<OwnedResult>();
  owned->result = compileNoThrow(*request);
  return publish(std::move(owned));
}

/// A request of the oldest version, which has no member after elidesConstants.
const AvocetCompileResult *compileOldestAbi(const AvocetCompileRequest *request) {
  AvocetCompileRequest whole = {};
  std::memcpy(&whole, request, offsetof(AvocetCompileRequest, runsStep));
  return compileAbi(&whole);
}

/// `abi` is the first member of an OwnedResult that publish() released.
void destroyResult(const AvocetCompileResult *result) {
  delete reinterpret_cast<OwnedResult *>(const_cast<AvocetCompileResult *>(result));
}

} // namespace
} // namespace avocet::compiler

extern "C" __attribute__((visibility("default"))) const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version) {
  using namespace avocet::compiler;
  static const std::string kVersionText = std::string(avocet::versionAndCommit());
  static const AvocetCompilerApi kApi = {AVOCET_COMPILER_ABI_VERSION, kVersionText.c_str(), compileAbi, destroyResult};
  static const AvocetCompilerApi kOldestApi = {AVOCET_COMPILER_OLDEST_ABI_VERSION, kVersionText.c_str(),
                                               compileOldestAbi, destroyResult};
  if (version == AVOCET_COMPILER_OLDEST_ABI_VERSION)
    return &kOldestApi;
  return version == AVOCET_COMPILER_ABI_VERSION ? &kApi : nullptr;
}
