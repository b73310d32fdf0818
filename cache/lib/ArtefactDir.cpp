//===- ArtefactDir.cpp - The two artefacts in one directory -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ArtefactDir.h"

#include "avocet/base/Log.h"
#include "avocet/base/OutputFile.h"

#include <cerrno>
#include <filesystem>

namespace avocet::cache {

namespace {

namespace fs = std::filesystem;

std::string pathOf(const std::string &directory, std::string_view name) {
  return (fs::path(directory) / name).string();
}

/// Removes the directory on destruction, unless keep() was called. The directory must be empty by then.
class MadeDirectory {
public:
  ~MadeDirectory() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove(path_, ignored);
  }
  Status make(const std::string &directory) {
    std::error_code error;
    bool created = fs::create_directories(directory, error);
    if (error || !fs::is_directory(directory, error))
      return errnoStatus(error ? error.value() : ENOTDIR, "cannot make directory " + directory);
    path_ = created ? directory : "";
    return Status::ok();
  }
  void keep() { path_.clear(); }

private:
  std::string path_; ///< empty: nothing to remove
};

Result<OutputFile> createArtefact(const std::string &path, std::span<const uint8_t> bytes) {
  // Durable: the data cache has no checksum, so loading would not detect that a power cut emptied it.
  AVOCET_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path, {.regularOnly = true, .durable = true}));
  AVOCET_RETURN_IF_ERROR(file.write(bytes));
  return file;
}

/// Removes the old model cache first and renames the new one last: a model cache in the directory always has its data.
Status replaceBoth(OutputFile &model, OutputFile &data) {
  AVOCET_RETURN_IF_ERROR(model.removeCurrent());
  AVOCET_RETURN_IF_ERROR(data.commit());
  Status status = model.commit();
  if (!status.isOk())
    (void)data.removeCurrent();
  return status;
}

} // namespace

bool isArtefactDir(const std::string &directory) {
  std::error_code ignored;
  return fs::exists(pathOf(directory, kModelFileName), ignored);
}

Status writeArtefacts(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data) {
  MadeDirectory made;
  AVOCET_RETURN_IF_ERROR(made.make(directory));
  AVOCET_ASSIGN_OR_RETURN(OutputFile modelFile, createArtefact(pathOf(directory, kModelFileName), model));
  AVOCET_ASSIGN_OR_RETURN(OutputFile dataFile, createArtefact(pathOf(directory, kDataFileName), data));
  AVOCET_RETURN_IF_ERROR(replaceBoth(modelFile, dataFile));
  made.keep();
  return Status::ok();
}

Result<Artefacts> readArtefacts(const std::string &directory) {
  Artefacts artefacts;
  AVOCET_ASSIGN_OR_RETURN(artefacts.model, ModelCache::load(pathOf(directory, kModelFileName)));
  AVOCET_ASSIGN_OR_RETURN(artefacts.data,
                          DataCache::open(pathOf(directory, kDataFileName), artefacts.model->dataBytes()));
  logMessage(LogLevel::Debug, "cache", "read {}: {} for target {}, {} bytes of constants", directory,
             artefacts.model->modelName(), artefacts.model->targetName(), artefacts.model->dataBytes());
  return artefacts;
}

} // namespace avocet::cache
