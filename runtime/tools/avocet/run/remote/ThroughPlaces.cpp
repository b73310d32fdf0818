//===- ThroughPlaces.cpp - The files of a run in an application -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThroughPlaces.h"

#include "Tflite_generated.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"

#include <fmt/format.h>

#include <filesystem>
#include <sys/utsname.h>
#include <vector>

namespace avocet::tool {
namespace {

namespace files = std::filesystem;

bool isThere(const files::path &path) {
  std::error_code ignored;
  return files::exists(path, ignored);
}

/// Folder within a folder of clients, as the npm package names it.
std::string folderOfMachine() {
  utsname machine{};
  ::uname(&machine);
  const bool isArm = std::string_view(machine.machine) == "aarch64";
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

} // namespace

Result<std::string> findTflite(const std::string &clients) {
  const std::vector<files::path> places = placesOfClients(clients);
  for (const files::path &place : places)
    if (const files::path folder = place / folderOfMachine(); isThere(folder / "libtensorflowlite_c.so"))
      return folder.string();
  return notFound(fmt::format("TensorFlow Lite is not installed in {}; install it with 'scripts/setup --clients', or "
                              "name the folder that has {} with --clients or AVOCET_CLIENTS",
                              places.front().string(), folderOfMachine()));
}

Result<std::string> findLibraries(Through through) {
  const char *name = through == Through::Nnapi ? "libneuralnetworks.so" : "libavocet_delegate.so";
  if (const std::string library = libraryBeside(name); !library.empty())
    return files::path(library).parent_path().string();
  return notFound(fmt::format("{} is not in {}; build the targets neuralnetworks and avocet_delegate, or install the "
                              "component Runtime",
                              name, files::path(programBeside("../lib")).lexically_normal().string()));
}

Result<uint64_t> countOperators(const std::string &path) {
  std::error_code error;
  if (files::is_directory(path, error))
    return invalidArgument(fmt::format("{}: is a directory, but TensorFlow Lite accepts only .tflite files; give the "
                                       "file that the artefacts were compiled from",
                                       path));
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

} // namespace avocet::tool
