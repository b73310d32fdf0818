//===- PoolFile.h - The bytes of a memory pool ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools come from the caller, who may change or truncate them at any time. Data for the host is copied with positional
// reads and writes, and the host uses only the copy. Data that only the device uses is mapped (ModelMemory.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_POOLFILE_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_POOLFILE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

/// Identity of a file, and its size when it was opened.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
};

/// Immutable; may be used from several threads. Holds the descriptor.
class PoolFile {
public:
  /// GeneralFailure: null, of an unknown kind, a graphics buffer that is not a blob, or without a descriptor.
  static Result<PoolFile> open(const SharedMemory &memory);

  /// Stated size of the pool. Its file may be shorter.
  uint64_t size() const { return size_; }
  /// Offset of the pool in its file. start() + size() fits off_t.
  uint64_t start() const { return start_; }
  const FileDescriptor &file() const { return *file_; }
  /// Empty unless it is a regular or memory file, or a dma-buf.
  const std::optional<FileIdentity> &identity() const { return identity_; }
  /// See answersPromptly() in PeerFile.h. The device must not wait for pages of a file that is not prompt: jobs of
  /// other clients wait for the device. The host copies such a file on spare threads.
  bool isPrompt() const;
  /// False: the file is sealed against it, for good.
  bool mayShrink() const;
  /// Whether the file still has at least `end` bytes.
  bool reaches(uint64_t end) const;

  /// InvalidArgument beyond size(), or if the pool's protection lacks any of `protection` (PROT_READ, PROT_WRITE).
  Outcome checkRange(uint64_t offset, uint64_t length, int32_t protection) const;

  /// Copies bytes [offset, offset + size). The errors of checkRange(); GeneralFailure: the system call failed, the file
  /// is shorter, or the file system does not answer in time (PeerFile.h).
  Outcome read(uint64_t offset, std::span<uint8_t> bytes) const;
  Outcome write(uint64_t offset, std::span<const uint8_t> bytes) const;

private:
  SharedHandle file_;
  std::optional<FileIdentity> identity_;
  uint64_t start_ = 0; ///< of the pool in its file
  uint64_t size_ = 0;
  int32_t protection_ = 0;
  enum class Promptness : uint8_t { Unknown, Yes, No };
  mutable Promptness promptness_ = Promptness::Unknown; ///< used atomically; computed only when needed
};

/// Whether all pools of a model can be opened; the errors of PoolFile::open().
Outcome checkPools(const std::vector<SharedMemory> &pools);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_POOLFILE_H
