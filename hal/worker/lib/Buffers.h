//===- Buffers.h - Memory files reused by successive requests -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page of a fresh memory file costs ten times as much as copying to an existing page. The service therefore keeps a
// few files with their pages, lends two of them to a worker for one request, and reuses them when that worker is dead.
// A worker never sees bytes of an earlier request or answer, since they are overwritten before.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_BUFFERS_H
#define AVOCET_HAL_WORKER_LIB_BUFFERS_H

#include "WorkerMessage.h"

#include "avocet/base/File.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace avocet::hal {

/// A memory file of kBytes, and its shared mapping in this process. It can neither shrink nor grow. Only written pages
/// take memory.
class MemoryBuffer {
public:
  static constexpr uint64_t kBytes = uint64_t{8} << 20;

  static avocet::Result<MemoryBuffer> create();

  const FileDescriptor &file() const { return file_; }
  std::span<uint8_t> bytes() const { return {bytes_.get(), kBytes}; }

  /// Allocates the pages of the first `bytes` bytes; without this an access would raise a signal when memory runs out.
  avocet::Status reserve(uint64_t bytes);

private:
  FileDescriptor file_;
  std::shared_ptr<uint8_t> bytes_;
  uint64_t reserved_ = 0;
};

/// The two files lent to a worker: one with its request, one for its answer. Not thread-safe.
class Buffers {
public:
  static avocet::Result<std::unique_ptr<Buffers>> create();

  /// The message has at most MemoryBuffer::kBytes.
  avocet::Status writeRequest(const WorkerMessageWriter &message);
  uint64_t requestBytes() const { return requestBytes_; }

  /// Copies an answer of at most MemoryBuffer::kBytes out of its file, which the worker can still change.
  avocet::Result<WorkerMessage> readAnswer(uint64_t bytes);
  /// Overwrites the answer with zeros. Call it before the file is lent.
  void clearAnswer();

  const FileDescriptor &requestFile() const { return request_.file(); }
  const FileDescriptor &answerFile() const { return answer_.file(); }

private:
  MemoryBuffer request_, answer_;
  uint64_t requestBytes_ = 0, answerBytes_ = 0; ///< lengths of the prefixes that may be nonzero
};

/// Buffers that wait for the next request: kMostIdle of them at the start, and again whenever no request runs, so that
/// the number of open files is then constant. Thread-safe.
class BufferPool {
public:
  /// Each pair has at most twice MemoryBuffer::kBytes.
  static constexpr size_t kMostIdle = 2;

  static avocet::Result<std::unique_ptr<BufferPool>> create();

  /// Buffers that no other process uses: those that have waited longest, or fresh ones.
  avocet::Result<std::unique_ptr<Buffers>> take();

  /// Returns buffers from take() to the pool; frees them if enough others wait. `worker`: descriptor of the killed
  /// process that used them; they are not lent again before it is dead. Invalid: no other process uses them.
  void keep(std::unique_ptr<Buffers> buffers, FileDescriptor worker);
  /// Instead of keep(), for buffers that a worker may still use: adds fresh ones to the pool. If they cannot be made, a
  /// later request makes its own.
  void replace();

private:
  struct Idle {
    std::unique_ptr<Buffers> buffers;
    FileDescriptor worker;
  };
  std::unique_ptr<Buffers> takeIdle();

  std::mutex mutex_;       ///< guards idle_; a leaf
  std::vector<Idle> idle_; ///< in the order of keep()
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_BUFFERS_H
