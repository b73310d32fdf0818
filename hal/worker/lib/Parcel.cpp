//===- Parcel.cpp - A message in a sealed memory file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parcel.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

constexpr uint64_t aligned(uint64_t offset) {
  return (offset + kParcelAlignment - 1) / kParcelAlignment * kParcelAlignment;
}

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

/// Private: a shared mapping of a sealed file is refused by Linux before 6.7, even for reading.
avocet::Result<std::shared_ptr<const void>> mapPrivately(const FileDescriptor &file, uint64_t size) {
  void *start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (start == MAP_FAILED)
    return errnoStatus(errno, "cannot map a message of the compile worker");
  return std::shared_ptr<const void>(start, [size](const void *p) { ::munmap(const_cast<void *>(p), size); });
}

} // namespace

ParcelRange ParcelWriter::add(std::span<const uint8_t> block) {
  ParcelRange range{end_, block.size()};
  blocks_.push_back(block);
  end_ = aligned(end_ + block.size());
  return range;
}

avocet::Result<FileDescriptor> ParcelWriter::write(std::span<const uint8_t> head) const {
  FileDescriptor file(::memfd_create("avocet-compile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const uint64_t dataStart = aligned(kParcelAlignment + head.size());
  if (!file.isValid() || ::ftruncate(file.get(), static_cast<off_t>(dataStart + end_)) != 0)
    return errnoStatus(errno, "cannot make a message for the compile worker");
  const uint64_t headSize = head.size();
  AVOCET_RETURN_IF_ERROR(writeAt(file.get(), {reinterpret_cast<const uint8_t *>(&headSize), sizeof(headSize)}, 0));
  AVOCET_RETURN_IF_ERROR(writeAt(file.get(), head, kParcelAlignment));
  uint64_t offset = dataStart;
  for (std::span<const uint8_t> block : blocks_) {
    AVOCET_RETURN_IF_ERROR(writeAt(file.get(), block, offset));
    offset = aligned(offset + block.size());
  }
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    return errnoStatus(errno, "cannot seal a message for the compile worker");
  return file;
}

avocet::Result<Parcel> Parcel::inMemory(std::span<const uint8_t> bytes) {
  uint64_t headSize = 0;
  if (bytes.size() < kParcelAlignment)
    return broken("it is too short");
  std::memcpy(&headSize, bytes.data(), sizeof(headSize));
  if (headSize > bytes.size() - kParcelAlignment)
    return broken("its head is longer than the file");
  Parcel parcel;
  parcel.head_ = bytes.subspan(kParcelAlignment, headSize);
  parcel.data_ = bytes.subspan(std::min<uint64_t>(aligned(kParcelAlignment + headSize), bytes.size()));
  return parcel;
}

avocet::Result<Parcel> Parcel::open(const FileDescriptor &file, uint64_t maxBytes) {
  // Only memory files have seals.
  if (const int seals = ::fcntl(file.get(), F_GET_SEALS); seals < 0 || (seals & kSeals) != kSeals)
    return broken("it is not a sealed memory file");
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(file, "message of the compile worker"));
  if (size > maxBytes || size < kParcelAlignment)
    return broken(fmt::format("it has {} bytes, between {} and {} are accepted", size, kParcelAlignment, maxBytes));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const void> storage, mapPrivately(file, size));
  AVOCET_ASSIGN_OR_RETURN(Parcel parcel, inMemory({static_cast<const uint8_t *>(storage.get()), size}));
  parcel.storage_ = std::move(storage);
  return parcel;
}

avocet::Result<std::span<const uint8_t>> Parcel::block(ParcelRange range) const {
  if (range.offset % kParcelAlignment != 0 || range.offset > data_.size() || range.size > data_.size() - range.offset)
    return broken(
        fmt::format("bytes [{}, +{}) do not lie in its data of {} bytes", range.offset, range.size, data_.size()));
  return data_.subspan(range.offset, range.size);
}

} // namespace avocet::hal
