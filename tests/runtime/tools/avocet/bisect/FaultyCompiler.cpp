//===- FaultyCompiler.cpp - A compiler with a planted fault -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The real compiler, whose phase nn is wrong: if the rewrite of nn-fuse-activation has run on the operation with
// "planted" in its location, a minimum becomes a maximum in the IR after that phase. Parts of the model's file name
// change the fault:
//   pair    only with an optimisation level above 0
//   fails   the compilation fails instead
//   always  without the rewrite, too
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/CompilerAbi.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace {

constexpr uint32_t kText = 0, kMlir = 2, kRewrite = 1;
constexpr int32_t kInternal = 11;

const AvocetCompilerApi &realCompiler() {
  static const AvocetCompilerApi *const kApi = [] {
    void *library = ::dlopen(AVOCET_COMPILER_FILE, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      std::abort();
    return reinterpret_cast<AvocetCompilerGetApiFunction>(::dlsym(library, "avocetCompilerGetApi"))(
        AVOCET_COMPILER_ABI_VERSION);
  }();
  return *kApi;
}

struct Compilation {
  const AvocetCompileRequest *request;
  bool hasRun = false; ///< the rewrite
};

int32_t runsStep(void *user, const AvocetOptionalStep *step) {
  auto &compilation = *static_cast<Compilation *>(user);
  const AvocetCompileRequest &request = *compilation.request;
  const int32_t runs = request.runsStep ? request.runsStep(request.runsStepUser, step) : 1;
  if (runs && step->kind == kRewrite && std::strstr(step->pattern, "FuseActivationPattern")) {
    const char *location = "", *operation = "";
    step->subject(step->owner, &location, &operation);
    if (std::strstr(location, "planted"))
      compilation.hasRun = true;
  }
  return runs;
}

bool isPlanted(const Compilation &compilation) {
  const AvocetCompileRequest &request = *compilation.request;
  const bool isPair = std::strstr(request.modelPath, "pair");
  return std::strstr(request.modelPath, "always") || (compilation.hasRun && (!isPair || request.optimise > 0));
}

const AvocetCompileResult *failure() {
  static AvocetCompileResult result = {};
  result.statusCode = kInternal;
  result.statusMessage = "planted failure";
  return &result;
}

bool isPartial(const AvocetCompileRequest &request) {
  return (request.stopAfter && *request.stopAfter) || (request.startAt && *request.startAt) || request.supportOnly;
}

const AvocetCompileResult *compile(const AvocetCompileRequest *request) {
  if (isPartial(*request))
    return realCompiler().compile(request);
  Compilation compilation{request};
  AvocetCompileRequest first = *request;
  first.stopAfter = "nn";
  first.irFormat = kText;
  first.runsStep = runsStep;
  first.runsStepUser = &compilation;
  const AvocetCompileResult *nn = realCompiler().compile(&first);
  if (nn->statusCode != 0)
    return nn;
  std::string text(reinterpret_cast<const char *>(nn->ir.data), nn->ir.size);
  realCompiler().destroyResult(nn);
  if (isPlanted(compilation)) {
    if (std::strstr(request->modelPath, "fails"))
      return failure();
    if (const size_t minimum = text.find("nn.minimum"); minimum != std::string::npos)
      text.replace(minimum, 10, "nn.maximum");
  }
  AvocetCompileRequest second = *request;
  second.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  second.format = kMlir;
  second.startAt = "nn";
  second.signature = nullptr;
  second.numShapes = 0;
  return realCompiler().compile(&second);
}

void destroyResult(const AvocetCompileResult *result) {
  if (result != failure())
    realCompiler().destroyResult(result);
}

} // namespace

extern "C" const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version) {
  static const AvocetCompilerApi kApi = {AVOCET_COMPILER_ABI_VERSION, "faulty", compile, destroyResult};
  return version == AVOCET_COMPILER_ABI_VERSION ? &kApi : nullptr;
}
