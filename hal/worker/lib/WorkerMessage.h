//===- WorkerMessage.h - A message in a sealed memory file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file: 8 bytes with the size of the head, zeros up to byte 64, the head (Messages.h), zeros up to the next
// multiple of 64, the data. Blocks of the data start at multiples of 64. A sealed file can neither change nor shrink,
// so that the reader may map it and check it in place.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_WORKERMESSAGE_H
#define AVOCET_HAL_WORKER_LIB_WORKERMESSAGE_H

#include "avocet/base/File.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

/// A range of a message's data.
struct MessageRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A message being written. The caller owns the blocks and must keep them until it is written.
class WorkerMessageWriter {
public:
  MessageRange add(std::span<const uint8_t> block);
  void setHead(std::span<const uint8_t> head) { head_.assign(head.begin(), head.end()); }

  /// Bytes of the whole file.
  uint64_t size() const;

  /// Writes to a new sealed file.
  avocet::Result<FileDescriptor> write() const;
  /// Writes to the start of a file, which must be large enough and contain only zeros.
  avocet::Status writeTo(const FileDescriptor &file) const;
  /// Fills the first size() bytes.
  void copyTo(std::span<uint8_t> target) const;

private:
  /// Calls `write(bytes, offset)` for each part without the padding, in ascending order, until it fails.
  template <typename Write> avocet::Status forEachPart(Write write) const;

  std::vector<uint8_t> head_;
  std::vector<std::span<const uint8_t>> blocks_;
  uint64_t end_ = 0; ///< of the data, a multiple of kMessageAlignment
};

/// A message whose layout was checked. Spans live as long as any copy of the object.
class WorkerMessage {
public:
  /// Maps the file. DataLoss: it is no sealed memory file, has more than `maxBytes`, or breaks the layout.
  static avocet::Result<WorkerMessage> open(const FileDescriptor &file, uint64_t maxBytes);

  /// Maps the first bytes of a memory file that cannot shrink; its owner must not change it meanwhile. DataLoss as
  /// above.
  static avocet::Result<WorkerMessage> openShared(const FileDescriptor &file, uint64_t bytes);

  /// Copies bytes that another process may change at any time, and checks the copy.
  static avocet::Result<WorkerMessage> copyOf(std::span<const uint8_t> bytes);

  /// The same layout in memory; the caller owns `bytes`, whose address must be a multiple of 64.
  static avocet::Result<WorkerMessage> inMemory(std::span<const uint8_t> bytes);

  std::span<const uint8_t> head() const { return head_; }
  /// DataLoss: the range does not lie in the data, or is not aligned.
  avocet::Result<std::span<const uint8_t>> block(MessageRange range) const;
  /// Keeps the spans valid; null for inMemory().
  const std::shared_ptr<const void> &storage() const { return storage_; }

private:
  static avocet::Result<WorkerMessage> ofStorage(std::shared_ptr<const void> storage, uint64_t bytes);

  std::span<const uint8_t> head_, data_;
  std::shared_ptr<const void> storage_;
};

inline constexpr uint64_t kMessageAlignment = 64;

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_WORKERMESSAGE_H
