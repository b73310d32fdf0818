//===- CompilationFiles.cpp - Files for those who debug the compiler -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilationFiles.h"

#include "TestCommand.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Target.h"
#include "model/CompilerMessages.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace avocet::tool {
namespace {

/// This process's command line as words of a shell. Files of /proc have no size, so that readFile() finds nothing.
std::string commandLine() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(words, word, '\0');)
    line += (line.empty() ? "" : " ") + TestCommand::quoted(word);
  return line;
}

/// Artefacts contain the name of the model's file.
std::string inputName(const std::string &modelPath) { return std::filesystem::path(modelPath).filename().string(); }

std::string shapeText(const compiler::InputShape &shape) {
  return fmt::format(" --shape {}",
                     TestCommand::quoted(fmt::format("{}={}", shape.name, fmt::join(shape.extents, "x"))));
}

constexpr const char *kHintsName = "hints.json";

/// The compilation of the files in the directory, with options that only its kind has.
std::string reproduceScript(const compiler::ModelRequest &request, const std::string &options) {
  std::string line = fmt::format("avocet compile {} -t target.toml", TestCommand::quoted(inputName(request.modelPath)));
  if (!request.signature.empty())
    line += " --signature " + TestCommand::quoted(request.signature);
  for (const compiler::InputShape &shape : request.shapes)
    line += shapeText(shape);
  for (const compiler::NamedExtent &extent : request.extents)
    line += " --dim " + TestCommand::quoted(fmt::format("{}={}", extent.name, extent.extent));
  return fmt::format("#!/bin/sh\ncd \"$(dirname \"$0\")\" && exec {}{} out\n", line, options);
}

std::string optionsOf(const compiler::CompileRequest &request) {
  std::string options;
  if (!request.startAt.empty())
    options += " --start-at " + TestCommand::quoted(request.startAt);
  if (!request.stopAfter.empty())
    options += " --stop-after " + TestCommand::quoted(request.stopAfter);
  if (request.optimizeSeconds > 0)
    options += fmt::format(" --optimize {}s", request.optimizeSeconds);
  else if (request.optimize != compiler::kDefaultOptimize)
    options += fmt::format(" --optimize {}", request.optimize);
  if (!request.hints.empty())
    options += fmt::format(" --hints {}", kHintsName);
  return options + " -o";
}

std::string versionText() {
  const auto compiler = compiler::LoadedCompiler::load();
  return compiler ? compiler->version() : "unknown";
}

Status writeScript(const std::string &path, const std::string &text) {
  AVOCET_RETURN_IF_ERROR(writeFile(path, text));
  std::error_code error;
  std::filesystem::permissions(path, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add, error);
  return error ? errnoStatus(error.value(), "cannot make " + path + " a program") : Status::ok();
}

} // namespace

Result<CompilationFiles> CompilationFiles::create(const std::string &directory,
                                                  const compiler::CompileRequest &request) {
  AVOCET_ASSIGN_OR_RETURN(CompilationFiles files,
                          create(directory, static_cast<const compiler::ModelRequest &>(request), optionsOf(request)));
  if (!request.hints.empty())
    AVOCET_RETURN_IF_ERROR(writeFile(fmt::format("{}/{}", directory, kHintsName), std::string_view(request.hints)));
  return files;
}

Result<CompilationFiles> CompilationFiles::create(const std::string &directory,
                                                  const compiler::DivideRequest &request) {
  return create(directory, request, " --partition");
}

Result<CompilationFiles> CompilationFiles::create(const std::string &directory, const compiler::ModelRequest &request,
                                                  const std::string &options) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return errnoStatus(error.value(), "cannot create directory " + directory);
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> input, readFile(request.modelPath));
  AVOCET_ASSIGN_OR_RETURN(const std::string target, firmware::targetText(request.target));
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/" + inputName(request.modelPath), input));
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/target.toml", target));
  const std::string folder = std::filesystem::current_path(error).string();
  AVOCET_RETURN_IF_ERROR(
      writeFile(directory + "/command.txt", fmt::format("compiler {}\ndirectory {}\ntarget {}\n{}\n", versionText(),
                                                        folder, request.target, commandLine())));
  AVOCET_RETURN_IF_ERROR(writeScript(directory + "/reproduce.sh", reproduceScript(request, options)));
  return CompilationFiles(directory);
}

Status CompilationFiles::add(const compiler::PassResult &pass) {
  if (pass.isFailed)
    return Status::ok();
  if (phases_.empty() || phases_.back() != pass.phase)
    phases_.emplace_back(pass.phase);
  return writeFile(fmt::format("{}/{}-{}.mlir", directory_, phases_.size() - 1, pass.phase), pass.ir);
}

Status CompilationFiles::finish(const compiler::Verdict &result) const {
  std::string messages = diagnosticsText(result);
  if (!result.status.isOk())
    messages += result.status.toString() + "\n";
  return messages.empty() ? Status::ok() : writeFile(directory_ + "/diagnostics.txt", messages);
}

Status CompilationFiles::finish(const compiler::CompileResult &result) const {
  AVOCET_RETURN_IF_ERROR(finish(static_cast<const compiler::Verdict &>(result)));
  return result.modelCache.empty() ? Status::ok()
                                   : cache::writeArtefacts(directory_, result.modelCache, result.dataCache);
}

Status CompilationFiles::fail(const Status &status) const {
  return writeFile(directory_ + "/diagnostics.txt", status.toString() + "\n");
}

void printPassResult(const compiler::PassResult &pass) {
  writeStandardError(
      fmt::format("// {} {}, phase {}\n", pass.isFailed ? "before the failure of" : "after", pass.pass, pass.phase));
  writeStandardError({reinterpret_cast<const char *>(pass.ir.data()), pass.ir.size()});
}

} // namespace avocet::tool
