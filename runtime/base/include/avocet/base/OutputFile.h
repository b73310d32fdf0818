//===- OutputFile.h - Writes an output file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only way to write a file at a path from the command line, the environment or another caller. The result depends
// on what the path names:
//
//   nothing, regular file   The bytes go to a temporary file in the same folder, which is renamed when it is complete.
//                           A reader, or a crash, sees the old file or the whole new one. The new file keeps the
//                           permissions of the old one, and its owner where this process may set it. It gets no other
//                           attributes and no hard links. Temporary files of processes that died are removed by the
//                           next process that writes into the folder.
//   FIFO, character device  Written in place, never replaced. A FIFO needs a reader within two seconds.
//   symbolic link           The rules above apply to the target; the link stays. If the target does not exist, it is
//                           created. A link to an open descriptor (/dev/stdout) is written in place.
//   anything else           Refused: folders, sockets, block devices.
//
// In a world-writable folder with the sticky bit (/tmp), links and files that belong to neither the caller nor the
// owner of the folder are refused: another user may have put them there. The kernel does the same if
// fs.protected_symlinks, protected_regular and protected_fifos are set.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_OUTPUTFILE_H
#define AVOCET_BASE_OUTPUTFILE_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet {

/// An output file that is being written. Destroyed before commit() or publish(), it leaves no new file and an older
/// file as it was. writeFile() in File.h does all steps for bytes that are in memory. One thread at a time.
class OutputFile {
public:
  struct Options {
    bool regularOnly = false; ///< FIFOs and devices are refused too
    bool durable = false;     ///< commit() and publish() flush the file and its folder: they survive a power cut
    /// Part of the temporary name, by which readers find the file before it has its final name (openTemporaries()).
    /// Lower-case letters, digits and '-'. A file with a tag outlives its process, until removeTemporaries().
    std::string tag = {};
  };

  /// InvalidArgument: the path names an object of a kind that is refused. NotFound: its folder does not exist.
  static Result<OutputFile> create(const std::string &path, const Options &options);
  static Result<OutputFile> create(const std::string &path) { return create(path, Options()); }

  OutputFile(OutputFile &&) noexcept;
  OutputFile &operator=(OutputFile &&) noexcept;
  ~OutputFile();

  /// Appends bytes. ResourceExhausted: no space is left. After an error the object can only be destroyed.
  Status write(std::span<const uint8_t> bytes);

  /// Makes the bytes written so far durable under the temporary name, with the permissions of the final file. Flushes
  /// all names of the folder.
  Status flush();

  /// Completes the file: from now on it is visible under its path. No further write is allowed.
  Status commit();

  /// Makes the bytes written so far visible, for a file that others may read while it grows. Later writes go to the
  /// visible file; an error leaves it incomplete.
  Status publish();

  /// Closes a published file, and reports errors that some file systems detect only then.
  Status close();

  /// Cuts the file to its first `bytes` bytes. Does nothing for FIFOs and devices.
  void truncate(uint64_t bytes);

  /// InvalidArgument if commit() would be refused, because the path names something else than a regular file by now.
  Status checkReplaceable() const;

  /// Leaves the file under its temporary name when the object is destroyed.
  void keep();

private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The temporary files with this tag of writers of `path`, open for reading. They may be incomplete.
Result<std::vector<FileDescriptor>> openTemporaries(const std::string &path, std::string_view tag);

/// Removes the temporary files beside `path`, with and without tags, that no living process is writing. No effect on
/// file systems without locks.
void removeTemporaries(const std::string &path);

} // namespace avocet

#endif // AVOCET_BASE_OUTPUTFILE_H
