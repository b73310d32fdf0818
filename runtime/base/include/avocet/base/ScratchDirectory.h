//===- ScratchDirectory.h - An empty folder for one run ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_SCRATCHDIRECTORY_H
#define AVOCET_BASE_SCRATCHDIRECTORY_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <string>

namespace avocet {

/// Folder for a device's records during one run. Made in memory or in the system's temporary folder; the destructor
/// removes it with its contents. make() removes those of processes that were killed.
class ScratchDirectory {
public:
  static Result<ScratchDirectory> make();
  ~ScratchDirectory() { remove(); }
  ScratchDirectory(ScratchDirectory &&other) noexcept
      : locked_(std::exchange(other.locked_, "")), path_(std::move(other.path_)), lock_(std::move(other.lock_)) {}
  ScratchDirectory &operator=(ScratchDirectory &&) = delete;

  const std::string &path() const { return path_; }
  void remove();

private:
  ScratchDirectory(std::string locked, FileDescriptor lock);
  std::string locked_;  ///< the folder that holds the other one; empty: moved from, or removed
  std::string path_;    ///< not locked, since a driver locks its folder
  FileDescriptor lock_; ///< of the outer folder: its process lives
};

} // namespace avocet

#endif // AVOCET_BASE_SCRATCHDIRECTORY_H
