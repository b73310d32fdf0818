//===- Reproducer.cpp - Files for reports of compiler errors -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reproducer.h"

#include "CompilationFiles.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"

#include <filesystem>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

constexpr int kMostDirectories = 100;

Result<std::string> makeDirectory(const std::string &folder, const std::string &modelPath) {
  const std::string stem = (std::filesystem::path(folder) / std::filesystem::path(modelPath).stem()).lexically_normal();
  std::error_code error;
  for (int number = 1; number <= kMostDirectories; ++number) {
    std::string name = stem + ".reproducer" + (number == 1 ? "" : std::to_string(number));
    if (std::filesystem::create_directory(name, error))
      return name;
    if (error)
      return errnoStatus(error.value(), "cannot create directory " + name);
  }
  return failedPrecondition(fmt::format("there are {} reproducers of {} already; remove some", kMostDirectories, stem));
}

/// The last module and the pass that did not return another one.
struct FailingPass {
  std::string ir, phase = "import", pass = "the import";
};

Result<std::string> write(const compiler::LoadedCompiler &compiler, compiler::CompileRequest request,
                          const std::string &folder) {
  AVOCET_ASSIGN_OR_RETURN(const std::string directory, makeDirectory(folder, request.modelPath));
  AVOCET_ASSIGN_OR_RETURN(const CompilationFiles files, CompilationFiles::create(directory, request));
  FailingPass failing;
  request.elidesConstants = false;
  request.afterPass = [&](const compiler::PassResult &pass) {
    failing.phase = pass.phase;
    failing.pass = pass.isFailed ? std::string(pass.pass) : fmt::format("a pass after {}", pass.pass);
    if (!pass.isFailed)
      failing.ir.assign(reinterpret_cast<const char *>(pass.ir.data()), pass.ir.size());
  };
  const compiler::CompileResult result = compiler.compile(request);
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/before.mlir", failing.ir));
  AVOCET_RETURN_IF_ERROR(files.finish(result));
  return fmt::format("{}: {} failed, phase {}; the module before it is {}/before.mlir. Please report the error with "
                     "this directory; 'avocet reduce' makes the model smaller",
                     directory, failing.pass, failing.phase, directory);
}

} // namespace

bool isInternalError(const compiler::CompileResult &result, uint32_t phase) {
  if (result.status.isOk() || !result.refusals.empty())
    return false;
  return result.status.code() == StatusCode::Internal ||
         (result.status.code() == StatusCode::InvalidArgument && phase > 0);
}

void writeReproducer(const compiler::LoadedCompiler &compiler, compiler::CompileRequest request) {
  const std::string folder = knobText(knobs::kReproducers);
  if (folder == "off")
    return;
  request.progress = {};
  request.alternative = {};
  const Result<std::string> written = write(compiler, std::move(request), folder);
  printErr("{}\n", written ? *written : "no reproducer was written: " + written.status().message());
}

} // namespace avocet::tool
