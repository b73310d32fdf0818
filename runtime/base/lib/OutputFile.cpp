//===- OutputFile.cpp - Writes an output file -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/OutputFile.h"

#include "TemporaryFiles.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/base/Status.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <linux/magic.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <thread>
#include <unistd.h>

namespace avocet {
namespace {

/// The end of a path after all links. The folder is open, so that later steps use the same folder.
struct OutputPlace {
  enum class Kind {
    New,        ///< no file has the name
    Regular,    ///< a regular file
    Stream,     ///< a FIFO or a character device
    Descriptor, ///< a link of /proc to an open descriptor
  };

  Kind kind = Kind::New;
  FileDescriptor folder;     ///< opened with O_PATH
  std::string name;          ///< in the folder
  struct stat existing = {}; ///< valid unless the kind is New
};

constexpr int kMaxLinks = 40; // as in the kernel
constexpr auto kReaderPatience = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::milliseconds(5);

Status refuse(const std::string &path, const std::string &reason) {
  return invalidArgument("cannot write " + path + ": " + reason);
}

const char *describe(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFSOCK:
    return "a socket";
  case S_IFBLK:
    return "a block device";
  default:
    return "no file";
  }
}

/// Opens the folder of `path` and stores the last component. `from` is where relative paths begin.
Status enterFolder(int from, const std::string &path, OutputPlace &place, const std::string &shown) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  place.name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (place.name.empty())
    return refuse(shown, path.empty() ? "the path is empty" : "it names a folder; give the name of a file");
  FileDescriptor opened(::openat(from, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.isValid())
    return errnoStatus(errno, "cannot write " + shown);
  place.folder = std::move(opened);
  return Status::ok();
}

/// Whether another user may have put the entry into a world-writable folder.
bool isPlanted(const struct stat &folder, const struct stat &entry) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  return (folder.st_mode & kShared) == kShared && entry.st_uid != ::geteuid() && entry.st_uid != folder.st_uid;
}

bool isOnProc(int folder) {
  struct statfs info;
  return ::fstatfs(folder, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

Result<std::string> readLink(const OutputPlace &place, const std::string &shown) {
  char target[4096];
  ssize_t length = ::readlinkat(place.folder.get(), place.name.c_str(), target, sizeof(target));
  if (length < 0)
    return errnoStatus(errno, "cannot write " + shown);
  return std::string(target, static_cast<size_t>(length));
}

/// Fills in the kind and the entry of the name; true for a link that is still to be followed.
Result<bool> examine(OutputPlace &place, const std::string &shown) {
  struct stat folder;
  if (::fstat(place.folder.get(), &folder) != 0)
    return errnoStatus(errno, "cannot write " + shown);
  if (::fstatat(place.folder.get(), place.name.c_str(), &place.existing, AT_SYMLINK_NOFOLLOW) != 0) {
    place.kind = OutputPlace::Kind::New;
    return errno == ENOENT ? Result<bool>(false) : errnoStatus(errno, "cannot write " + shown);
  }
  if (isPlanted(folder, place.existing))
    return refuse(shown, "it belongs to another user and lies in a folder that all users can write to; "
                         "remove it or choose another path");
  if (S_ISLNK(place.existing.st_mode)) {
    place.kind = OutputPlace::Kind::Descriptor;
    return !isOnProc(place.folder.get());
  }
  if (S_ISREG(place.existing.st_mode))
    place.kind = OutputPlace::Kind::Regular;
  else if (S_ISFIFO(place.existing.st_mode) || S_ISCHR(place.existing.st_mode))
    place.kind = OutputPlace::Kind::Stream;
  else
    return refuse(shown, std::string("it is ") + describe(place.existing.st_mode) +
                             "; regular files, FIFOs and character devices are accepted");
  return false;
}

/// Follows the links of a path by the rules of OutputFile.h. Refuses kinds that are never written to.
Result<OutputPlace> locateOutput(const std::string &path) {
  OutputPlace place;
  AVOCET_RETURN_IF_ERROR(enterFolder(AT_FDCWD, path, place, path));
  for (int links = 0; links < kMaxLinks; ++links) {
    AVOCET_ASSIGN_OR_RETURN(bool isLink, examine(place, path));
    if (!isLink)
      return place;
    AVOCET_ASSIGN_OR_RETURN(std::string target, readLink(place, path));
    AVOCET_RETURN_IF_ERROR(enterFolder(place.folder.get(), target, place, path));
  }
  return errnoStatus(ELOOP, "cannot write " + path);
}

/// Opens for writing. A FIFO without a reader is retried until kReaderPatience has passed, because open() could block.
FileDescriptor openPatiently(const OutputPlace &place, int flags) {
  const auto end = std::chrono::steady_clock::now() + kReaderPatience;
  while (true) {
    FileDescriptor file(::openat(place.folder.get(), place.name.c_str(), flags | O_NONBLOCK));
    if (file.isValid() || errno != ENXIO || !S_ISFIFO(place.existing.st_mode) ||
        std::chrono::steady_clock::now() >= end)
      return file;
    std::this_thread::sleep_for(kPause);
  }
}

/// Opens a Stream or Descriptor for writing.
Result<FileDescriptor> openInPlace(const OutputPlace &place, const std::string &path) {
  bool isDescriptor = place.kind == OutputPlace::Kind::Descriptor;
  // A redirected descriptor may be a file that already holds other output: append to it.
  int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (isDescriptor ? O_APPEND : O_NOFOLLOW);
  FileDescriptor file = openPatiently(place, flags);
  if (!file.isValid() && errno == ENXIO && S_ISFIFO(place.existing.st_mode))
    return refuse(path, "it is a FIFO that no process reads; start the reader");
  struct stat info;
  if (!file.isValid() || ::fstat(file.get(), &info) != 0 || ::fcntl(file.get(), F_SETFL, flags & O_APPEND) != 0)
    return errnoStatus(errno, "cannot write " + path);
  if (!isDescriptor && (info.st_dev != place.existing.st_dev || info.st_ino != place.existing.st_ino))
    return refuse(path, "it was replaced while it was being opened");
  return file;
}

/// Gives the new file the permissions of the one that it replaces.
Status copyPermissions(const struct stat &old, int fd, const std::string &path) {
  constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return errnoStatus(errno, "cannot write " + path);
  // Without the permission for it the file stays the caller's own, as with any other program.
  if (info.st_uid != old.st_uid || info.st_gid != old.st_gid)
    (void)!::fchown(fd, old.st_uid, old.st_gid);
  if (::fchmod(fd, old.st_mode & kPermissions) != 0)
    return errnoStatus(errno, "cannot write " + path);
  return Status::ok();
}

/// A file that the user may not write is not replaced either.
Status requireWritable(const OutputPlace &place, const std::string &path) {
  if (place.kind == OutputPlace::Kind::New ||
      ::faccessat(place.folder.get(), place.name.c_str(), W_OK, AT_EACCESS) == 0)
    return Status::ok();
  return errnoStatus(errno, "cannot write " + path);
}

} // namespace

struct OutputFile::State {
  std::string path;
  Options options;
  OutputPlace place;
  FileDescriptor inPlace;                 ///< valid: the output is written in place
  std::optional<Replacement> replacement; ///< otherwise

  int fd() const { return replacement ? replacement->fd() : inPlace.get(); }

  Status takePermissions() const {
    return place.kind == OutputPlace::Kind::Regular ? copyPermissions(place.existing, fd(), path) : Status::ok();
  }

  /// Steps before the new file is renamed.
  Status finish() {
    AVOCET_RETURN_IF_ERROR(takePermissions());
    return options.durable ? replacement->flush() : Status::ok();
  }
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile &&) noexcept = default;
OutputFile &OutputFile::operator=(OutputFile &&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::create(const std::string &path, const Options &options) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->options = options;
  AVOCET_ASSIGN_OR_RETURN(state->place, locateOutput(path));
  const OutputPlace &place = state->place;
  AVOCET_RETURN_IF_ERROR(requireWritable(place, path));
  if (place.kind == OutputPlace::Kind::Stream || place.kind == OutputPlace::Kind::Descriptor) {
    if (options.regularOnly)
      return invalidArgument("cannot write " + path + ": it is no regular file");
    AVOCET_ASSIGN_OR_RETURN(state->inPlace, openInPlace(place, path));
    return OutputFile(std::move(state));
  }
  removeLeftoversOnce(place.folder.get(), path);
  bool isNew = place.kind == OutputPlace::Kind::New;
  AVOCET_ASSIGN_OR_RETURN(Replacement made,
                          Replacement::create(place.folder.get(), place.name, path, isNew ? 0666 : 0600, options.tag));
  state->replacement.emplace(std::move(made));
  return OutputFile(std::move(state));
}

Status OutputFile::write(std::span<const uint8_t> bytes) { return writeAll(state_->fd(), bytes, state_->path); }

Status OutputFile::flush() {
  if (!state_->replacement)
    return Status::ok();
  AVOCET_RETURN_IF_ERROR(state_->takePermissions());
  AVOCET_RETURN_IF_ERROR(state_->replacement->flush());
  return state_->replacement->flushName();
}

Status OutputFile::commit() {
  if (!state_->replacement)
    return closeFile(state_->inPlace, state_->path);
  AVOCET_RETURN_IF_ERROR(state_->finish());
  AVOCET_RETURN_IF_ERROR(state_->replacement->close());
  return state_->replacement->publish(state_->options.durable);
}

Status OutputFile::publish() {
  if (!state_->replacement)
    return Status::ok();
  AVOCET_RETURN_IF_ERROR(state_->finish());
  return state_->replacement->publish(state_->options.durable);
}

Status OutputFile::close() {
  return state_->replacement ? state_->replacement->close() : closeFile(state_->inPlace, state_->path);
}

void OutputFile::truncate(uint64_t bytes) {
  if (state_->replacement && ::ftruncate(state_->fd(), static_cast<off_t>(bytes)) == 0)
    (void)::lseek(state_->fd(), static_cast<off_t>(bytes), SEEK_SET);
}

Status OutputFile::checkReplaceable() const {
  return state_->replacement ? state_->replacement->checkReplaceable() : Status::ok();
}

void OutputFile::keep() {
  if (state_->replacement)
    state_->replacement->keep();
}

Result<std::vector<FileDescriptor>> openTemporaries(const std::string &path, std::string_view tag) {
  AVOCET_ASSIGN_OR_RETURN(const OutputPlace place, locateOutput(path));
  std::vector<FileDescriptor> files;
  for (const std::string &name : namesIn(place.folder.get())) {
    if (!isTemporaryName(name) || tagOfTemporary(name) != tag)
      continue;
    FileDescriptor file(::openat(place.folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info;
    if (file.isValid() && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode))
      files.push_back(std::move(file));
  }
  return files;
}

void removeTemporaries(const std::string &path) {
  if (const Result<OutputPlace> place = locateOutput(path))
    removeLeftovers(place->folder.get(), Leftovers::All);
}

Status writeFile(const std::string &path, std::span<const uint8_t> bytes) {
  if (path == "-") {
    flushStandardOutput(); // text that was printed earlier must come first
    return writeAll(STDOUT_FILENO, bytes, "the standard output");
  }
  AVOCET_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
  AVOCET_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

Status writeFile(const std::string &path, std::string_view text) {
  return writeFile(path, std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

} // namespace avocet
