//===- TrustedFolder.h - A folder that no other user can change -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only way to open files in places that other users may influence: caches, locks, keys. A folder is trusted if only
// root and the effective user of this process can change it, its ancestors and the links on the way to it:
//
//   - Each folder of the path belongs to one of the two, and is not writable for group or others. Only folders above
//     the last one may be writable if they have the sticky bit (/tmp).
//   - Symbolic links in the path belong to one of the two. Their targets are checked in the same way.
//   - Files in the folder are opened without following links. They are regular files, belong to one of the two, and are
//     not writable for group or others.
//
// The folder stays open, and every name is looked up in the open folder: the checked folder is the one that is used,
// even if a part of the path is renamed or replaced meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_TRUSTEDFOLDER_H
#define AVOCET_BASE_TRUSTEDFOLDER_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace avocet {

/// A file of a trusted folder.
struct FolderEntry {
  std::string name;
  uint64_t bytes = 0;
  int64_t nanoseconds = 0; ///< time of the last modification, since 1970
};

/// Const functions may be called from any thread. FailedPrecondition: a file or folder is not trusted; the message
/// gives the path, the reason and the remedy.
class TrustedFolder {
public:
  enum class Missing {
    Error, ///< NotFound
    Create ///< the last folder of the path is made with mode 0700
  };

  enum class Owners {
    RootAndUser,
    Root ///< the effective user counts as any other: for what decides about a process with more rights than its user
  };

  static Result<TrustedFolder> open(const std::string &path, Missing missing, Owners owners = Owners::RootAndUser);

  /// As passed to open(); for messages.
  const std::string &path() const { return path_; }

  enum class Access { Read, ReadWriteCreate };

  /// Opens a file; new ones have the mode 0600.
  Result<FileDescriptor> openFile(const std::string &name, Access access) const;

  /// The whole of a file. DataLoss when it is longer than `maxBytes`.
  Result<std::vector<uint8_t>> readFile(const std::string &name, uint64_t maxBytes = kMaxReadBytes) const;

  /// Unflushed: a power cut may leave the file empty, or with zeros for some of its bytes.
  enum class Durability { Flushed, Unflushed };

  /// Writes the parts one after the other to a temporary file, flushes it, and renames it: after a crash or a power cut
  /// the path names the old file or the new one. The new file has the mode 0600.
  Status writeFile(const std::string &name, std::initializer_list<std::span<const uint8_t>> parts,
                   Durability durability = Durability::Flushed) const;

  /// Removes a file; success if there is none. FailedPrecondition: it is not a trusted regular file; it is not removed.
  Status remove(const std::string &name) const;

  /// Sets the time of the last modification to now.
  void touch(const std::string &name) const;

  /// All trusted regular files, in no order. Temporary files are left out.
  std::vector<FolderEntry> files() const;

  /// Removes temporary files of killed writers. Requires that no other process is writing.
  void removeLeftovers() const;

private:
  TrustedFolder(std::string path, FileDescriptor folder, Owners owners)
      : path_(std::move(path)), folder_(std::move(folder)), owners_(owners) {}
  Result<bool> has(const std::string &name) const;
  std::vector<FolderEntry> list(bool temporary) const;
  std::string pathOf(const std::string &name) const { return path_ + "/" + name; }

  std::string path_;
  FileDescriptor folder_; ///< opened with O_PATH
  Owners owners_ = Owners::RootAndUser;
};

} // namespace avocet

#endif // AVOCET_BASE_TRUSTEDFOLDER_H
