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
#include "avocet/network/BytecodeInput.h"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

/// A new directory that only this user can read: it holds the model.
Result<std::string> makeDirectory(const std::string &chosen, const std::string &modelPath) {
  std::error_code error;
  const std::filesystem::path folder =
      chosen.empty() ? std::filesystem::temp_directory_path(error) : std::filesystem::path(chosen);
  if (error)
    return errnoStatus(error.value(), "there is no folder for temporary files (TMPDIR)");
  const std::string stem = std::filesystem::path(modelPath).stem().string();
  std::string name = (folder / (stem + ".reproducer-XXXXXX")).lexically_normal().string();
  if (::mkdtemp(name.data()) == nullptr)
    return errnoStatus(errno, "cannot create directory " + name);
  return name;
}

/// The last module and the pass that did not return another one.
struct FailingPass {
  std::string ir, phase = "import", pass = "the import";
};

/// Calls the compiler again, and keeps the module before the pass that fails.
compiler::CompileResult repeat(const compiler::LoadedCompiler &compiler, compiler::CompileRequest request,
                               FailingPass &failing) {
  request.alternative = {};
  request.elidesConstants = false;
  request.afterPass = [&](const compiler::PassResult &pass) {
    failing.phase = pass.phase;
    failing.pass = pass.isFailed ? std::string(pass.pass) : fmt::format("a pass after {}", pass.pass);
    if (!pass.isFailed)
      failing.ir.assign(reinterpret_cast<const char *>(pass.ir.data()), pass.ir.size());
  };
  return network::compileFile(compiler, std::move(request));
}

compiler::DivideResult repeat(const compiler::LoadedCompiler &compiler, const compiler::DivideRequest &request,
                              FailingPass & /*failing*/) {
  return compiler.divide(request);
}

template <typename Request>
Result<std::string> write(const compiler::LoadedCompiler &compiler, const Request &request, const std::string &folder) {
  AVOCET_ASSIGN_OR_RETURN(const std::string directory, makeDirectory(folder, request.modelPath));
  AVOCET_ASSIGN_OR_RETURN(const CompilationFiles files, CompilationFiles::create(directory, request));
  FailingPass failing;
  const auto result = repeat(compiler, request, failing);
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/before.mlir", failing.ir));
  AVOCET_RETURN_IF_ERROR(files.finish(result));
  AVOCET_RETURN_IF_ERROR(
      writeFile(directory + "/failure.txt", fmt::format("{} failed, phase {}; the module before it is "
                                                        "before.mlir\n",
                                                        failing.pass, failing.phase)));
  return directory;
}

} // namespace

bool isInternalError(const compiler::Verdict &result) {
  return result.status.code() == StatusCode::Internal && result.refusals.empty();
}

template <typename Request>
Status withReproducer(const compiler::LoadedCompiler &compiler, Request request, const Status &status) {
  const std::string folder = knobText(knobs::kReproducers);
  if (folder == "off")
    return status;
  request.progress = {};
  const Result<std::string> written = write(compiler, request, folder);
  const std::string outcome = written ? "report it with the files in " + *written
                                      : "no files for a report were written: " + written.status().message();
  return internalError(fmt::format("{}; {}", status.message(), outcome));
}

template Status withReproducer(const compiler::LoadedCompiler &, compiler::CompileRequest, const Status &);
template Status withReproducer(const compiler::LoadedCompiler &, compiler::DivideRequest, const Status &);

} // namespace avocet::tool
