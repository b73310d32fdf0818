//===- ThroughPlaces.cpp - The files of a run in an application -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThroughPlaces.h"

#include "Tflite_generated.h"
#include "Ways.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

namespace avocet::tool {
namespace {

namespace files = std::filesystem;

bool isThere(const files::path &path) {
  std::error_code ignored;
  return files::exists(path, ignored);
}

/// Folder within a folder of clients, as the npm package of the framework names it.
std::string folderOfMachine(Through through) {
  utsname machine{};
  ::uname(&machine);
  const bool isArm = std::string_view(machine.machine) == "aarch64";
  if (through == Through::Onnxruntime)
    return fmt::format("onnxruntime-node/bin/napi-v6/linux/{}", isArm ? "arm64" : "x64");
  return fmt::format("tfjs-tflite-node/cc_deps/linux_{}", isArm ? "arm64" : "amd64");
}

/// Beside the folder of the build, as scripts/setup leaves them; and in an installation.
std::vector<files::path> placesOfClients(const std::string &clients) {
  if (!clients.empty())
    return {clients};
  if (const std::string named = knobText(knobs::kClients); !named.empty())
    return {named};
  return {files::path(programBeside("../../clients")).lexically_normal(),
          files::path(programBeside("../lib/avocet/clients")).lexically_normal()};
}

/// Artefacts are directories.
Status checkIsFile(const std::string &path, Through through) {
  std::error_code ignored;
  if (!files::is_directory(path, ignored))
    return Status::ok();
  return invalidArgument(
      fmt::format("{}: is a directory, but {} accepts only {} files; give the file that the artefacts "
                  "were compiled from",
                  path, wayOf(through).framework, wayOf(through).models));
}

} // namespace

Result<std::string> findFramework(Through through, const std::string &clients) {
  const Way &way = wayOf(through);
  const std::vector<files::path> places = placesOfClients(clients);
  const std::string folderInside = folderOfMachine(through);
  for (const files::path &place : places)
    if (const files::path folder = place / folderInside; isThere(folder / way.clientLibrary))
      return folder.string();
  return notFound(fmt::format("{} is not installed in {}; install it with 'scripts/setup --clients', or name the "
                              "folder that has {} with --clients or AVOCET_CLIENTS",
                              way.framework, places.front().string(), folderInside));
}

Result<std::string> findLibraries(Through through, bool isServed) {
  const Way &way = wayOf(through);
  const std::string place = files::path(programBeside("../lib")).lexically_normal().string();
  const std::string library = libraryBeside(way.library);
  if (library.empty())
    return notFound(fmt::format("{} is not in {}; build the target {}, or install the component Runtime", way.library,
                                place, way.target));
  const bool needsCompiler = through != Through::Nnapi || !isServed;
  if (needsCompiler && libraryBeside("libavocetCompiler.so").empty() && knobText(knobs::kCompilerLibrary).empty())
    return notFound(
        fmt::format("libavocetCompiler.so is not in {}, so that {} cannot ask what the device can run; build "
                    "the target avocetCompiler, or name the library with AVOCET_COMPILER_LIBRARY",
                    place, way.library));
  return files::path(library).parent_path().string();
}

Result<uint64_t> countOperators(const std::string &path) {
  AVOCET_RETURN_IF_ERROR(checkIsFile(path, Through::Delegate));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  if (bytes.size() < 8 || !tflite::ModelBufferHasIdentifier(bytes.data()))
    return invalidArgument(path + ": is no .tflite file, and TensorFlow Lite accepts no others");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!tflite::VerifyModelBuffer(verifier))
    return invalidArgument(path + ": is damaged");
  const auto *subgraphs = tflite::GetModel(bytes.data())->subgraphs();
  if (subgraphs == nullptr || subgraphs->size() == 0 || subgraphs->Get(0)->operators() == nullptr)
    return invalidArgument(path + ": has no operators");
  return subgraphs->Get(0)->operators()->size();
}

Status checkOnnxFile(const std::string &path) {
  AVOCET_RETURN_IF_ERROR(checkIsFile(path, Through::Onnxruntime));
  AVOCET_ASSIGN_OR_RETURN(const FileDescriptor file, openForReading(path));
  std::array<uint8_t, 8> start{};
  if (::read(file.get(), start.data(), start.size()) == static_cast<ssize_t>(start.size()) &&
      tflite::ModelBufferHasIdentifier(start.data()))
    return invalidArgument(path + ": is a .tflite file, and ONNX Runtime accepts only .onnx files; use --through "
                                  "delegate");
  return Status::ok();
}

} // namespace avocet::tool
