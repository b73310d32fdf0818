//===- SyncFence.h - Fences shared between processes ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fences are descriptors that are polled and never read, like a sync_file. Not readable: active. Readable: signaled.
// POLLERR, or hung up with nothing to read, or a sync_file with an error: in the error state. Descriptors that only the
// kernel serves are accepted: sync_file, eventfd, sockets, pipes. Files are refused, since polling one may wait for the
// server of its file system.
//
// A fence made here is one end of a Unix-domain stream socket whose other end holds one unread byte. To signal, the
// other end reads that byte and sends another. If it is closed with the byte unread, by fail() or because its process
// died, the kernel resets the connection and the fence polls POLLERR: a fence never waits for a dead process.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_SYNCFENCE_H
#define AVOCET_HAL_TYPES_SYNCFENCE_H

#include "avocet/base/File.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace avocet::hal {

enum class FenceState { Active, Signaled, Error };

/// The waiting side. A value; copies share the descriptor. Thread-safe.
class SyncFence {
public:
  /// Signaled from the start, without a descriptor.
  SyncFence() = default;
  /// Wraps a descriptor. InvalidArgument: it is null, closed, or of another kind.
  static Result<SyncFence> adopt(SharedHandle handle);

  /// Null: signaled from the start.
  const SharedHandle &handle() const { return handle_; }

  FenceState state() const;

  /// Waits until the fence is no longer Active, at most `timeout` (none: for ever; 0 or less: not at all). Returns
  /// Active if the time passed first.
  FenceState wait(const OptionalDuration &timeout) const;

  /// Whether it is a sync_file of the kernel, for which kernel drivers can wait themselves.
  bool isSyncFile() const { return isSyncFile_; }

  /// Identifies the fence on this machine: device and inode of its socket, equal for all descriptors of one fence.
  /// Empty for fences of other kinds, whose inodes do not identify them (an eventfd has no inode of its own).
  std::optional<std::pair<uint64_t, uint64_t>> identity() const;

private:
  SyncFence(SharedHandle handle, bool isSyncFile) : handle_(std::move(handle)), isSyncFile_(isSyncFile) {}
  SharedHandle handle_;
  bool isSyncFile_ = false;
};

/// The signaling side; signals once. One thread; neither call blocks. Destroying it without a call fails the fence.
class FenceSignaler {
public:
  /// ResourceExhaustedTransient when no descriptors are left.
  static Result<std::pair<SyncFence, FenceSignaler>> create();
  FenceSignaler(FenceSignaler &&) = default;
  FenceSignaler &operator=(FenceSignaler &&) = default;

  void signal();
  void fail();

private:
  explicit FenceSignaler(FileDescriptor socket) : socket_(std::move(socket)) {}
  FileDescriptor socket_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_SYNCFENCE_H
