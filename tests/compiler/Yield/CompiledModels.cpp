//===- CompiledModels.cpp - Streams of compiled networks --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledModels.h"

#include "avocet/cache/ModelCache.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Codec.h"

#include <algorithm>
#include <filesystem>

namespace avocet::compiler {
namespace {

namespace fs = std::filesystem;

std::string pathOf(const std::string &name) {
  const fs::path own = fs::path(AVOCET_SOURCE_DIR) / "tests/models/digits" / (name + ".tflite");
  return fs::exists(own) ? own.string() : (fs::path(AVOCET_SHARED_DATA) / "models" / name / "model.tflite").string();
}

Result<CompiledModel> streamsOf(const cache::ModelCache &model) {
  CompiledModel result;
  result.predictedCycles = model.predictedCycles();
  uint32_t source = 0;
  for (size_t i = 0; i < model.numStreams(); ++i) {
    cache::StreamView view = model.stream(i);
    AVOCET_ASSIGN_OR_RETURN(std::vector<firmware::Command> commands, firmware::decodeStream(view.words));
    commands.pop_back(); // the End
    if (result.sections.size() <= view.section)
      result.sections.resize(view.section + 1);
    Stream &stream = result.sections[view.section].emplace_back(Stream{view.engine, {}});
    for (firmware::Command &command : commands)
      stream.commands.push_back({std::move(command), source++});
  }
  return result;
}

} // namespace

std::vector<std::string> modelNames() {
  std::vector<std::string> names;
  const fs::path shared = fs::path(AVOCET_SHARED_DATA) / "models";
  if (fs::is_directory(shared))
    for (const auto &entry : fs::directory_iterator(shared))
      if (fs::exists(entry.path() / "model.tflite"))
        names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), {"digits_int8", "digits_float32"});
  return names;
}

Result<CompiledModel> compileModel(const std::string &name, const std::string &target) {
  AVOCET_ASSIGN_OR_RETURN(LoadedCompiler compiler, LoadedCompiler::load(AVOCET_COMPILER_FILE));
  CompileRequest request;
  request.modelPath = pathOf(name);
  request.target = target;
  CompileResult result = compiler.compile(request);
  AVOCET_RETURN_IF_ERROR(result.status);
  AVOCET_ASSIGN_OR_RETURN(auto model,
                          cache::ModelCache::adopt({result.modelCache.begin(), result.modelCache.end()}, name));
  return streamsOf(*model);
}

} // namespace avocet::compiler
