//===- ArtefactDir.cpp - The two artefacts in one directory -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ArtefactDir.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <unistd.h>

namespace avocet::cache {

namespace {

namespace fs = std::filesystem;

std::string pathOf(const std::string &directory, std::string_view name) {
  return (fs::path(directory) / name).string();
}

/// Undoes what a failed write has left: files it made and, when it made that too, the directory.
class Cleanup {
public:
  ~Cleanup() {
    std::error_code ignored;
    for (const std::string &path : paths_)
      fs::remove(path, ignored);
  }
  void remember(std::string path) { paths_.insert(paths_.begin(), std::move(path)); }
  void cancel() { paths_.clear(); }

private:
  std::vector<std::string> paths_; ///< in the order of removal
};

Status makeDirectory(const std::string &directory, Cleanup &cleanup) {
  std::error_code error;
  bool created = fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error))
    return errnoStatus(error ? error.value() : ENOTDIR, "cannot make directory " + directory);
  if (created)
    cleanup.remember(directory);
  return Status::ok();
}

Status moveFile(const std::string &from, const std::string &to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error ? errnoStatus(error.value(), "cannot write " + to) : Status::ok();
}

Status removeFile(const std::string &path) {
  std::error_code error;
  fs::remove(path, error);
  return error ? errnoStatus(error.value(), "cannot replace " + path) : Status::ok();
}

/// A name in the directory that no other writer uses.
std::string temporaryPath(const std::string &directory, std::string_view name) {
  static std::atomic<uint32_t> counter{0};
  return pathOf(directory, fmt::format(".{}.{}-{}", name, ::getpid(), counter.fetch_add(1)));
}

} // namespace

bool isArtefactDir(const std::string &directory) {
  std::error_code ignored;
  return fs::exists(pathOf(directory, kModelFileName), ignored);
}

Status writeArtefacts(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data) {
  Cleanup cleanup;
  AVOCET_RETURN_IF_ERROR(makeDirectory(directory, cleanup));
  std::string newModel = temporaryPath(directory, kModelFileName), newData = temporaryPath(directory, kDataFileName);
  std::string modelPath = pathOf(directory, kModelFileName), dataPath = pathOf(directory, kDataFileName);
  cleanup.remember(newModel);
  cleanup.remember(newData);
  AVOCET_RETURN_IF_ERROR(writeFile(newModel, model));
  AVOCET_RETURN_IF_ERROR(writeFile(newData, data));
  AVOCET_RETURN_IF_ERROR(removeFile(modelPath));
  AVOCET_RETURN_IF_ERROR(moveFile(newData, dataPath));
  cleanup.remember(dataPath);
  AVOCET_RETURN_IF_ERROR(moveFile(newModel, modelPath));
  cleanup.cancel();
  return Status::ok();
}

Result<Artefacts> readArtefacts(const std::string &directory) {
  Artefacts artefacts;
  AVOCET_ASSIGN_OR_RETURN(artefacts.model, ModelCache::load(pathOf(directory, kModelFileName)));
  AVOCET_ASSIGN_OR_RETURN(artefacts.data,
                          DataCache::open(pathOf(directory, kDataFileName), artefacts.model->dataBytes()));
  return artefacts;
}

} // namespace avocet::cache
