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
#include "avocet/compiler/InProcess.h"

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
  if (const AvocetCompilerApi *api = getApi(AVOCET_COMPILER_ABI_VERSION))
    return api;
  return failedPrecondition(path + " does not support the interface version " +
                            std::to_string(AVOCET_COMPILER_ABI_VERSION) + " of this program");
}

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
  return message::ask<CompileResult>(*api_, api_->compile, request);
}

Verdict LoadedCompiler::judge(const JudgeRequest &request) const {
  return message::ask<Verdict>(*api_, api_->judge, request);
}

DivideResult LoadedCompiler::divide(const DivideRequest &request) const {
  return message::ask<DivideResult>(*api_, api_->divide, request);
}

std::string LoadedCompiler::version() const { return api_->compilerVersion; }

} // namespace avocet::compiler
