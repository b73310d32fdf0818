//===- OutputFile.cpp - Writes an output file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/OutputFile.h"

#include "OutputPlace.h"
#include "Replacement.h"
#include "TemporaryFiles.h"
#include "avocet/base/StandardStreams.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet {
namespace {

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
