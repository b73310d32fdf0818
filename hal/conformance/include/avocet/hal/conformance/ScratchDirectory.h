//===- ScratchDirectory.h - An empty folder for one run ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CONFORMANCE_SCRATCHDIRECTORY_H
#define AVOCET_HAL_CONFORMANCE_SCRATCHDIRECTORY_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <string>

namespace avocet::hal::conformance {

/// Folder for a device's records during one run. Made in memory or in the system's temporary folder; the destructor
/// removes it with its contents. make() removes those of processes that were killed.
class ScratchDirectory {
public:
  static avocet::Result<ScratchDirectory> make();
  ~ScratchDirectory() { remove(); }
  ScratchDirectory(ScratchDirectory &&other) noexcept
      : path_(std::exchange(other.path_, "")), lock_(std::move(other.lock_)) {}
  ScratchDirectory &operator=(ScratchDirectory &&) = delete;

  const std::string &path() const { return path_; }
  void remove();

private:
  ScratchDirectory(std::string path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;    ///< empty: moved from, or removed
  FileDescriptor lock_; ///< of the folder: its process lives
};

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_CONFORMANCE_SCRATCHDIRECTORY_H
