//===- ArtefactDir.cpp - The two artefacts in one directory -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ArtefactDir.h"

#include "DataFile.h"
#include "ModelFile.h"
#include "avocet/base/BoundedReader.h"
#include "avocet/base/File.h"
#include "avocet/base/Log.h"
#include "avocet/base/OutputFile.h"
#include "avocet/base/Status.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace avocet::cache {
namespace {

/// Excludes other writers, of this process and of others, while both artefacts of a folder are renamed. The lock is a
/// file that exists only as long as it is held; what a killed process leaves is taken over. Readers need no lock.
class WriterLock {
public:
  /// ResourceExhausted: others held it for half a minute. A file system without locks gives an object without effect:
  /// then two writers can leave a pair that readers refuse.
  static Result<WriterLock> acquire(const std::string &directory);

  WriterLock(WriterLock &&) noexcept = default;
  WriterLock &operator=(WriterLock &&) = delete;
  ~WriterLock();

private:
  WriterLock(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
};

constexpr const char *kName = "/.avocet-lock.tmp";
constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kPause = std::chrono::milliseconds(1);

/// Whether the path still names the open file: the holder before may have removed it.
bool isCurrent(const FileDescriptor &file, const std::string &path) {
  struct stat opened, named;
  return ::fstat(file.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

Result<WriterLock> WriterLock::acquire(const std::string &directory) {
  const std::string path = directory + kName;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (!file.isValid())
      return errnoStatus(errno, "cannot lock " + path);
    const bool isTaken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
    if (!isTaken && isCurrent(file, path))
      return WriterLock(path, std::move(file));
    if (isTaken && std::chrono::steady_clock::now() >= end)
      return resourceExhausted(path + ": another process has held the lock for half a minute; end it, or try again");
    if (isTaken)
      std::this_thread::sleep_for(kPause);
  }
}

/// Removes the file before the lock ends, so that no later holder loses it.
WriterLock::~WriterLock() {
  if (file_.isValid())
    ::unlink(path_.c_str());
}

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

/// Both files of one pair, complete under their temporary names.
struct NewPair {
  OutputFile model;
  OutputFile data;
};

std::string tagOf(std::string_view what, const Checksum &identity) {
  return fmt::format("{}-{:02x}", what, fmt::join(identity, ""));
}

std::string dataTag(const Checksum &identity) { return tagOf("data", identity); }

Result<NewPair> prepare(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data) {
  const Checksum identity = checksumOf({data});
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> marked, withDataIdentity(model, identity));
  AVOCET_ASSIGN_OR_RETURN(
      OutputFile modelFile,
      OutputFile::create(pathOf(directory, kModelFileName), {.regularOnly = true, .tag = tagOf("model", identity)}));
  AVOCET_ASSIGN_OR_RETURN(OutputFile dataFile, OutputFile::create(pathOf(directory, kDataFileName),
                                                                  {.regularOnly = true, .tag = dataTag(identity)}));
  AVOCET_RETURN_IF_ERROR(modelFile.write(marked));
  AVOCET_RETURN_IF_ERROR(dataFile.write(data));
  AVOCET_RETURN_IF_ERROR(dataFile.write(dataEnd(data.size(), identity)));
  AVOCET_RETURN_IF_ERROR(modelFile.flush());
  AVOCET_RETURN_IF_ERROR(dataFile.flush());
  return NewPair{std::move(modelFile), std::move(dataFile)};
}

/// The rename of the model cache is the commit point. Under the lock, because two writers could otherwise leave the
/// model cache of one and the data cache of the other, and the other's temporary file would be gone.
Status commit(const std::string &directory, NewPair &pair) {
  AVOCET_ASSIGN_OR_RETURN(const WriterLock lock, WriterLock::acquire(directory));
  AVOCET_RETURN_IF_ERROR(pair.data.checkReplaceable());
  AVOCET_RETURN_IF_ERROR(pair.model.commit());
  // The model's name must be on the disk before the older data is gone. That of the data need not be: readers find the
  // temporary one.
  const Status flushed = pair.data.flush();
  const Status renamed = pair.data.commit();
  if (!renamed.isOk())
    pair.data.keep(); // readers need it from now on
  else
    removeTemporaries(pathOf(directory, kDataFileName));
  return renamed.isOk() ? flushed : renamed;
}

/// A file that was opened by its path, or the reason why not.
struct Opened {
  std::string path;
  Result<FileDescriptor> file;

  explicit Opened(std::string from) : path(std::move(from)), file(openForReading(path)) {}

  /// Whether the path leads to the same file still, or still to none. The file is open, so that no other can have got
  /// its inode meanwhile.
  bool isCurrent() const {
    struct stat now, then;
    const bool exists = ::stat(path.c_str(), &now) == 0;
    if (!file || ::fstat(file->get(), &then) != 0)
      return !exists || !S_ISREG(now.st_mode);
    return exists && now.st_dev == then.st_dev && now.st_ino == then.st_ino;
  }
};

Result<std::shared_ptr<const ModelCache>> loadModel(const Opened &opened) {
  AVOCET_RETURN_IF_ERROR(opened.file.status());
  AVOCET_ASSIGN_OR_RETURN(const uint64_t bytes, fileSize(*opened.file, opened.path));
  if (bytes > kMaxModelBytes)
    return dataLoss(fmt::format("{}: is {} bytes long, at most {} are allowed", opened.path, bytes, kMaxModelBytes));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> contents, BoundedReader(*opened.file, bytes, opened.path).bytes());
  AVOCET_ASSIGN_OR_RETURN(auto model, ModelCache::adopt(std::move(contents), opened.path));
  if (!model->dataIdentity())
    return dataLoss(opened.path +
                    ": does not say which data cache it belongs to; write both files with 'avocet compile'");
  return model;
}

/// The data cache of a model under its own name, or under a temporary one while it is being replaced.
Result<std::shared_ptr<const DataCache>> findData(const ModelCache &model, const Opened &opened) {
  const Checksum identity = *model.dataIdentity();
  Status status = opened.file.status();
  if (opened.file) {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, opened.file->duplicate());
    Result<std::shared_ptr<const DataCache>> data =
        DataCache::map(std::move(file), opened.path, identity, model.dataBytes());
    if (data)
      return data;
    status = data.status();
  }
  Result<std::vector<FileDescriptor>> others = openTemporaries(opened.path, dataTag(identity));
  for (size_t i = 0; others && i < others->size(); ++i)
    if (auto data = DataCache::map(std::move((*others)[i]), opened.path, identity, model.dataBytes()))
      return data;
  return status;
}

/// Nothing: a writer replaced a file meanwhile.
Result<std::optional<Artefacts>> tryToRead(const std::string &directory) {
  const Opened modelFile(pathOf(directory, kModelFileName));
  Artefacts artefacts;
  AVOCET_ASSIGN_OR_RETURN(artefacts.model, loadModel(modelFile));
  const Opened dataFile(pathOf(directory, kDataFileName));
  Result<std::shared_ptr<const DataCache>> data = findData(*artefacts.model, dataFile);
  // Neither file has changed: then the data was missing all the time.
  if (!data && modelFile.isCurrent() && dataFile.isCurrent())
    return data.status();
  if (!data)
    return std::optional<Artefacts>();
  artefacts.data = *std::move(data);
  return std::optional(std::move(artefacts));
}

Status checkContents(const DataCache &data, const std::string &path) {
  if (data.identity() && data.checksum() != *data.identity())
    return dataLoss(path + ": is damaged: its checksum does not match; compile the model again");
  return Status::ok();
}

} // namespace

bool isArtefactDir(const std::string &directory) {
  std::error_code ignored;
  return fs::exists(pathOf(directory, kModelFileName), ignored);
}

Status writeArtefacts(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data) {
  MadeDirectory made;
  AVOCET_RETURN_IF_ERROR(made.make(directory));
  AVOCET_ASSIGN_OR_RETURN(NewPair pair, prepare(directory, model, data));
  AVOCET_RETURN_IF_ERROR(commit(directory, pair));
  made.keep();
  return Status::ok();
}

Result<Artefacts> readArtefacts(const std::string &directory, DataCheck check) {
  constexpr int kMostAttempts = 1000; // each that fails means that a writer has replaced a pair
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    AVOCET_ASSIGN_OR_RETURN(std::optional<Artefacts> artefacts, tryToRead(directory));
    if (!artefacts)
      continue;
    if (check == DataCheck::Hash)
      AVOCET_RETURN_IF_ERROR(checkContents(*artefacts->data, pathOf(directory, kDataFileName)));
    logMessage(LogLevel::Debug, "cache", "read {}: {} for target {}, {} bytes of constants", directory,
               artefacts->model->modelName(), artefacts->model->targetName(), artefacts->model->dataBytes());
    return *std::move(artefacts);
  }
  return resourceExhausted(directory + ": other processes replace the artefacts all the time; try again");
}

} // namespace avocet::cache
