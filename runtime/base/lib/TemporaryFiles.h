//===- TemporaryFiles.h - Names and owners of temporary files ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary file has the name ".avocet-[TAG-]DIGITS.tmp" with 16 random hexadecimal digits, because processes of
// different PID namespaces can share a folder. Its writer holds a lock on it (flock), which ends with the last
// descriptor of the writer. So a file without a lock belongs to no process that lives, whatever has become of its
// process number.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_TEMPORARYFILES_H
#define AVOCET_BASE_LIB_TEMPORARYFILES_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace avocet {

/// Reads from the file's position to its end. DataLoss when it is longer than `maxBytes`. `path` is for messages.
Result<std::vector<uint8_t>> readAll(const FileDescriptor &file, const std::string &path, uint64_t maxBytes);

/// A new name. The tag has lower-case letters, digits and '-'; empty: none.
Result<std::string> temporaryName(std::string_view tag);

/// Whether a file name has this form, with any tag or none.
bool isTemporaryName(std::string_view name);

/// The tag of a temporary name; empty for one without.
std::string_view tagOfTemporary(std::string_view name);

/// Locks a new file for its writer. False: another process has it, to remove it, or has removed it. True on file
/// systems without locks, where leftoversOf() removes nothing.
bool lockAsWriter(const FileDescriptor &file);

/// The names in an open folder; `folder` may be opened with O_PATH. Empty if it cannot be read.
std::vector<std::string> namesIn(int folder);

/// Which temporary files removeLeftovers() may remove.
enum class Leftovers { Untagged, All };

/// Removes the temporary files that have no writer any more.
void removeLeftovers(int folder, Leftovers which);

/// The same for files without a tag, in the first call for each folder of files in this process.
void removeLeftoversOnce(int folder, std::string_view path);

/// Calls ::write until all bytes are written. `path` is for messages.
Status writeAll(int fd, std::span<const uint8_t> bytes, const std::string &path);

/// Closes a descriptor that was written to, and reports errors that some file systems detect only then.
Status closeFile(FileDescriptor &file, const std::string &path);

/// A temporary file in an open folder. publish() gives it its final name; without it the destructor removes the file.
/// The file is locked until it has its final name, so that others see that its writer lives (TemporaryFiles.h). One
/// thread at a time.
class Replacement {
public:
  /// `folder` is borrowed and must outlive the object. `path` names the file in messages. The file has the mode `mode`
  /// without the bits of the process's umask. `tag` is part of its temporary name.
  static Result<Replacement> create(int folder, std::string name, std::string path, mode_t mode,
                                    std::string_view tag = {});

  Replacement(Replacement &&other) noexcept;
  Replacement &operator=(Replacement &&other) = delete;
  ~Replacement();

  /// The new file, open for writing.
  int fd() const { return file_.get(); }

  Status write(std::span<const uint8_t> bytes) { return writeAll(fd(), bytes, path_); }

  /// Flushes the contents to the disk, so that a rename afterwards cannot show an incomplete file after a power cut.
  Status flush();

  /// Flushes the folder: the temporary name survives a power cut too.
  Status flushName();

  /// Leaves the file under its temporary name when the object is destroyed.
  void keep() { temporary_.clear(); }

  /// See closeFile().
  Status close() { return closeFile(file_, path_); }

  /// InvalidArgument if the final name belongs to something else than a regular file.
  Status checkReplaceable() const;

  /// Renames the file to its name. Later writes go to the visible file. `durable`: the name is on the disk when the
  /// call returns.
  Status publish(bool durable);

private:
  Replacement(int folder, std::string name, std::string path)
      : folder_(folder), name_(std::move(name)), path_(std::move(path)) {}

  int folder_;
  std::string name_;
  std::string path_;
  std::string temporary_; ///< empty: nothing to remove
  FileDescriptor file_;
  FileDescriptor lock_; ///< keeps the file locked after close()
};

} // namespace avocet

#endif // AVOCET_BASE_LIB_TEMPORARYFILES_H
