//===- InstalledFiles.cpp - Programs and libraries beside this one -- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/Version.h"
#include "avocet/cache/ModelDescription.h"
#include "avocet/compiler/CompilerAbi.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Version.h"
#include "avocet/hal/wire/Protocol.h"
#include "avocet/runtime/BackendPlugin.h"
#include "avocet_accel.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace avocet::tool {
namespace {

/// A file that belongs to an installation, and who needs it.
struct InstalledFile {
  const char *name;
  bool isLibrary;
  const char *users;
};
constexpr InstalledFile kFiles[] = {
    {"avocetd", false, "clients of a service need it"},
    {"avocetCompileWorker", false, "MLIR bytecode and services need it"},
    {"libneuralnetworks.so", true, "NNAPI applications need it"},
    {"libavocet_delegate.so", true, "TensorFlow Lite needs it"},
    {"libavocet_onnxruntime.so", true, "ONNX Runtime needs it"},
};

/// "0.1.0 (0123456789ab)" of a program or library, which contains it (Version.h).
std::optional<std::string> versionIn(const std::vector<uint8_t> &file) {
  const std::string_view name = "avocet ";
  for (auto at = file.begin(); at != file.end(); at += static_cast<ptrdiff_t>(name.size())) {
    at = std::search(at, file.end(), name.begin(), name.end());
    if (at == file.end())
      return std::nullopt;
    std::string text(at + static_cast<ptrdiff_t>(name.size()), std::find(at, file.end(), '\0'));
    if (text.size() < 64 && text.ends_with(')') && text[0] >= '0' && text[0] <= '9')
      return text;
  }
  return std::nullopt;
}

Finding checkFile(const InstalledFile &file) {
  const std::string path = file.isLibrary ? libraryBeside(file.name) : programBeside(file.name);
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error))
    return {file.name, Health::Absent, fmt::format("not in this installation; only {}", file.users), ""};
  const Result<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes)
    return {file.name, Health::Bad, bytes.status().message(), "make the file readable, or install it again"};
  const std::string version = versionIn(*bytes).value_or("of unknown version");
  if (version == versionAndCommit())
    return {file.name, Health::Good, path, ""};
  return {file.name, Health::Bad, fmt::format("{} is {}, this program is {}", path, version, versionAndCommit()),
          "install all programs and libraries from one build"};
}

Finding checkCompiler() {
  const Result<compiler::LoadedCompiler> compiler = compiler::LoadedCompiler::load();
  if (compiler)
    return {"compiler", Health::Good, fmt::format("{}, interface {}", compiler->version(), AVOCET_COMPILER_ABI_VERSION),
            ""};
  if (compiler.code() == StatusCode::NotFound && knobText(knobs::kCompilerLibrary).empty())
    return {"compiler", Health::Absent, compiler.status().message(),
            "install the compiler's library, or name it with AVOCET_COMPILER_LIBRARY; without it only artefacts run"};
  return {"compiler", Health::Bad, compiler.status().message(),
          "install the compiler of the same build as this program; see also AVOCET_COMPILER_LIBRARY"};
}

Finding describeFormats() {
  return {"formats", Health::Good,
          fmt::format("model cache {}, commands {}, services {} to {}, kernel interface {}.{}, plug-ins {}.{}",
                      cache::kFormatVersion, firmware::kEncodingVersion, hal::kProtocols.oldest, hal::kProtocols.newest,
                      AVOCET_UAPI_MAJOR, AVOCET_UAPI_MINOR, AVOCET_BACKEND_ABI_MAJOR, AVOCET_BACKEND_ABI_MINOR),
          ""};
}

} // namespace

std::vector<Finding> checkInstalledFiles() {
  std::vector<Finding> findings = {
      {"avocet", Health::Good, std::string(versionAndCommit()), ""}, describeFormats(), checkCompiler()};
  std::ranges::transform(kFiles, std::back_inserter(findings), checkFile);
  return findings;
}

} // namespace avocet::tool
