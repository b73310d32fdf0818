//===- SilentFileSystem.h - A FUSE file system that blocks ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_SUPPORT_SILENTFILESYSTEM_H
#define AVOCET_TESTS_HAL_SUPPORT_SILENTFILESYSTEM_H

#include "avocet/base/File.h"

#include <memory>
#include <optional>
#include <sys/types.h>

namespace avocet::hal {

/// A process that serves a file of 4096 bytes and answers only what opening it needs: reads, writes, statfs and close
/// block until this object is destroyed. Uses its own namespaces; needs /dev/fuse, and root or user namespaces.
class SilentFileSystem {
public:
  static constexpr uint64_t kFileBytes = 4096;

  /// Call before other threads start. Empty if this machine offers no FUSE to this user.
  static std::optional<SilentFileSystem> start();
  SilentFileSystem(SilentFileSystem &&other) noexcept;
  SilentFileSystem &operator=(SilentFileSystem &&other) noexcept;
  /// Ends the process, and thereby all operations that block.
  ~SilentFileSystem();

  /// Open for reading and writing. The test's own thread must not close duplicates of it.
  const FileDescriptor &file() const { return file_; }

private:
  SilentFileSystem(pid_t server, FileDescriptor file) : server_(server), file_(std::move(file)) {}

  pid_t server_ = -1;
  FileDescriptor file_; ///< closed after the server has ended
};

} // namespace avocet::hal

#endif // AVOCET_TESTS_HAL_SUPPORT_SILENTFILESYSTEM_H
