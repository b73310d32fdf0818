//===- Buffers.h - Memory files that requests share one after another -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pages of a fresh memory file cost ten times as much as copying to pages that exist. So the service keeps a few
// files with their pages, lends two of them to a worker for one request, and takes them back when that worker is dead.
// A worker never sees bytes of an earlier request or answer: they are overwritten in between.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_BUFFERS_H
#define AVOCET_HAL_WORKER_LIB_BUFFERS_H

#include "Parcel.h"

#include "avocet/base/File.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace avocet::hal {

/// A memory file of kBytes, and its shared mapping in this process. It can neither shrink nor grow. Only pages that
/// were written take memory.
class MemoryBuffer {
public:
  static constexpr uint64_t kBytes = uint64_t{8} << 20;

  static avocet::Result<MemoryBuffer> create();

  const FileDescriptor &file() const { return file_; }
  std::span<uint8_t> bytes() const { return {bytes_.get(), kBytes}; }

  /// Makes sure that the pages of the first bytes exist; without them an access would raise a signal when memory runs
  /// out.
  avocet::Status reserve(uint64_t bytes);

private:
  FileDescriptor file_;
  std::shared_ptr<uint8_t> bytes_;
  uint64_t reserved_ = 0;
};

/// What is lent to a worker: a file with its request, and one for its answer. Not thread-safe.
class Buffers {
public:
  static avocet::Result<std::unique_ptr<Buffers>> create();

  /// The parcel has at most MemoryBuffer::kBytes.
  avocet::Status writeRequest(const ParcelWriter &parcel);
  uint64_t requestBytes() const { return requestBytes_; }

  /// Copies an answer of at most MemoryBuffer::kBytes out of its file, which the worker can still change.
  avocet::Result<Parcel> readAnswer(uint64_t bytes);
  /// Overwrites the answer with zeros. To be called before the file is lent.
  void clearAnswer();

  const FileDescriptor &requestFile() const { return request_.file(); }
  const FileDescriptor &answerFile() const { return answer_.file(); }

private:
  MemoryBuffer request_, answer_;
  uint64_t requestBytes_ = 0, answerBytes_ = 0; ///< that may not be zeros, from the start
};

/// Buffers that wait for the next request: kMostIdle of them from the start, and again whenever no request runs, so
/// that the number of open files does not depend on what happened before. Thread-safe.
class BufferPool {
public:
  /// Each pair has at most twice MemoryBuffer::kBytes.
  static constexpr size_t kMostIdle = 2;

  static avocet::Result<std::unique_ptr<BufferPool>> create();

  /// Buffers that no other process has: those that wait longest, or fresh ones.
  avocet::Result<std::unique_ptr<Buffers>> take();

  /// Gives back what take() gave, unless enough others wait. `worker` is a descriptor of the process that had them,
  /// which was killed; they are not lent again before it is dead. Invalid: no other process has them.
  void keep(std::unique_ptr<Buffers> buffers, FileDescriptor worker);
  /// Instead of keep(), for buffers that a worker may still have: fresh ones take their place. If they cannot be made,
  /// a later request makes its own.
  void replace();

private:
  struct Idle {
    std::unique_ptr<Buffers> buffers;
    FileDescriptor worker;
  };
  std::unique_ptr<Buffers> takeIdle();

  std::mutex mutex_;       ///< guards idle_; a leaf
  std::vector<Idle> idle_; ///< in the order in which they came
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_BUFFERS_H
