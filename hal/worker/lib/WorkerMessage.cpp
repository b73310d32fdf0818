//===- WorkerMessage.cpp - A message in a sealed memory file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerMessage.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

constexpr uint64_t aligned(uint64_t offset) { return roundUp(offset, kMessageAlignment); }

avocet::Status writeAt(int fd, std::span<const uint8_t> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errnoStatus(errno, "cannot write a message to the compile worker");
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return Status::ok();
}

avocet::Status broken(std::string_view rule) {
  return dataLoss(fmt::format("message of the compile worker: {}", rule));
}

/// Private, since Linux before 6.7 refuses a shared mapping of a sealed file, even for reading.
avocet::Result<std::shared_ptr<const void>> mapPrivately(const FileDescriptor &file, uint64_t size) {
  void *start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (start == MAP_FAILED)
    return errnoStatus(errno, "cannot map a message of the compile worker");
  return std::shared_ptr<const void>(start, [size](const void *p) { ::munmap(const_cast<void *>(p), size); });
}

/// Each fresh page costs a fault, so larger blocks use large pages where the kernel supports them.
avocet::Result<std::shared_ptr<uint8_t>> allocate(uint64_t bytes) {
  constexpr uint64_t kLargePage = uint64_t{2} << 20;
  const bool isLarge = bytes >= kLargePage / 8;
  const uint64_t alignment = isLarge ? kLargePage : kMessageAlignment;
  const uint64_t rounded = roundUp(std::max<uint64_t>(bytes, 1), alignment);
  std::shared_ptr<uint8_t> memory(static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded)), std::free);
  if (memory == nullptr)
    return resourceExhausted("no memory for a message of the compile worker");
  if (isLarge)
    (void)::madvise(memory.get(), rounded, MADV_HUGEPAGE);
  return memory;
}

} // namespace

MessageRange WorkerMessageWriter::add(std::span<const uint8_t> block) {
  MessageRange range{end_, block.size()};
  blocks_.push_back(block);
  end_ = aligned(end_ + block.size());
  return range;
}

uint64_t WorkerMessageWriter::size() const { return aligned(kMessageAlignment + head_.size()) + end_; }

template <typename Write> avocet::Status WorkerMessageWriter::forEachPart(Write write) const {
  const uint64_t headSize = head_.size();
  AVOCET_RETURN_IF_ERROR(write({reinterpret_cast<const uint8_t *>(&headSize), sizeof(headSize)}, 0));
  AVOCET_RETURN_IF_ERROR(write(head_, kMessageAlignment));
  uint64_t offset = aligned(kMessageAlignment + headSize);
  for (std::span<const uint8_t> block : blocks_) {
    AVOCET_RETURN_IF_ERROR(write(block, offset));
    offset = aligned(offset + block.size());
  }
  return Status::ok();
}

avocet::Status WorkerMessageWriter::writeTo(const FileDescriptor &file) const {
  return forEachPart(
      [&](std::span<const uint8_t> bytes, uint64_t offset) { return writeAt(file.get(), bytes, offset); });
}

void WorkerMessageWriter::copyTo(std::span<uint8_t> target) const {
  auto end = target.begin();
  (void)forEachPart([&](std::span<const uint8_t> bytes, uint64_t offset) {
    const auto start = target.begin() + static_cast<ptrdiff_t>(offset);
    std::fill(end, start, uint8_t{0});
    end = std::ranges::copy(bytes, start).out;
    return Status::ok();
  });
  std::fill(end, target.begin() + static_cast<ptrdiff_t>(size()), uint8_t{0});
}

avocet::Result<FileDescriptor> WorkerMessageWriter::write() const {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-compile", size()));
  AVOCET_RETURN_IF_ERROR(writeTo(file));
  AVOCET_RETURN_IF_ERROR(seal(file, kSeals, "avocet-compile"));
  return file;
}

avocet::Result<WorkerMessage> WorkerMessage::inMemory(std::span<const uint8_t> bytes) {
  uint64_t headSize = 0;
  if (bytes.size() < kMessageAlignment)
    return broken("it is too short");
  std::memcpy(&headSize, bytes.data(), sizeof(headSize));
  if (headSize > bytes.size() - kMessageAlignment)
    return broken("its head is longer than the file");
  WorkerMessage message;
  message.head_ = bytes.subspan(kMessageAlignment, headSize);
  message.data_ = bytes.subspan(std::min<uint64_t>(aligned(kMessageAlignment + headSize), bytes.size()));
  return message;
}

avocet::Result<WorkerMessage> WorkerMessage::ofStorage(std::shared_ptr<const void> storage, uint64_t bytes) {
  AVOCET_ASSIGN_OR_RETURN(WorkerMessage message, inMemory({static_cast<const uint8_t *>(storage.get()), bytes}));
  message.storage_ = std::move(storage);
  return message;
}

avocet::Result<WorkerMessage> WorkerMessage::open(const FileDescriptor &file, uint64_t maxBytes) {
  if (!isSealed(file, kSeals))
    return broken("it is not a sealed memory file");
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(file, "message of the compile worker"));
  if (size > maxBytes || size < kMessageAlignment)
    return broken(fmt::format("it has {} bytes, between {} and {} are accepted", size, kMessageAlignment, maxBytes));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const void> storage, mapPrivately(file, size));
  return ofStorage(std::move(storage), size);
}

avocet::Result<WorkerMessage> WorkerMessage::openShared(const FileDescriptor &file, uint64_t bytes) {
  if (!isSealed(file, F_SEAL_SHRINK))
    return broken("it is in a file that may shrink");
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(file, "message of the compile worker"));
  if (bytes > size || bytes < kMessageAlignment)
    return broken(fmt::format("it has {} bytes, between {} and {} are accepted", bytes, kMessageAlignment, size));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const void> storage, mapPrivately(file, bytes));
  return ofStorage(std::move(storage), bytes);
}

avocet::Result<WorkerMessage> WorkerMessage::copyOf(std::span<const uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<uint8_t> copy, allocate(bytes.size()));
  std::ranges::copy(bytes, copy.get());
  return ofStorage(std::move(copy), bytes.size());
}

avocet::Result<std::span<const uint8_t>> WorkerMessage::block(MessageRange range) const {
  if (range.offset % kMessageAlignment != 0 || range.offset > data_.size() || range.size > data_.size() - range.offset)
    return broken(
        fmt::format("bytes [{}, +{}) do not lie in its data of {} bytes", range.offset, range.size, data_.size()));
  return data_.subspan(range.offset, range.size);
}

} // namespace avocet::hal
