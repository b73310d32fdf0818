//===- PoolFile.cpp - The bytes of a memory pool ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/PoolFile.h"

#include "avocet/base/BoundedReader.h"
#include "avocet/hal/types/PeerFile.h"
#include "device/HalResult.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Time limit for copying from or to a file of a slow file system.
constexpr auto kSlowCopyLimit = std::chrono::seconds(30);

struct Extent {
  const SharedHandle *fd = nullptr;
  uint64_t start = 0;
  uint64_t size = 0;
  int32_t protection = PROT_READ | PROT_WRITE;
};

Result<Extent> extentOf(const Ashmem &memory) { return Extent{&memory.fd, 0, memory.size}; }
Result<Extent> extentOf(const MappableFile &memory) {
  return Extent{&memory.fd, memory.offset, memory.size, memory.protection};
}
Result<Extent> extentOf(const HardwareBuffer &memory) {
  if (!memory.isBlob)
    return generalFailure("a graphics buffer that is not a blob has no bytes to read");
  return Extent{&memory.fd, 0, memory.size};
}
Result<Extent> extentOf(const UnknownHandle &memory) {
  return generalFailure(fmt::format("handles of kind '{}' are not known", memory.name));
}

std::optional<FileIdentity> identityOf(const FileDescriptor &file) {
  const std::optional<PeerFileFacts> facts = factsOf(file);
  if (!facts || (!facts->isRegular && !isDmaBuffer(file)))
    return std::nullopt;
  return FileIdentity{facts->device, facts->inode, facts->size};
}

/// Regular files end, and a mapping faults beyond the end.
bool hasEnd(const FileDescriptor &file) {
  const std::optional<PeerFileFacts> facts = factsOf(file);
  return facts && facts->isRegular && !isDmaBuffer(file);
}

/// Memory without positional reads (dma-buf) is mapped for the time of one copy; such memory never shrinks.
Result<Mapping> mapForCopy(int fd, uint64_t end, Mapping::Access access) {
  return toHalResult(Mapping::map(fd, end, access));
}

Outcome readMapped(int fd, uint64_t offset, std::span<uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(Mapping mapping, mapForCopy(fd, offset + bytes.size(), Mapping::Access::Read));
  return toHalResult(BoundedReader(mapping.bytes(), "its memory").copy(offset, bytes));
}

Outcome writeMapped(int fd, uint64_t offset, std::span<const uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(Mapping mapping, mapForCopy(fd, offset + bytes.size(), Mapping::Access::ReadWrite));
  std::ranges::copy(bytes, mapping.bytes().begin() + static_cast<ptrdiff_t>(offset));
  return success();
}

Outcome transfer(const FileDescriptor &file, uint64_t offset, std::span<uint8_t> bytes) {
  Status read = BoundedReader(file, offset + bytes.size(), "its memory").copy(offset, bytes);
  if (!read.isOk() && !hasEnd(file))
    return readMapped(file.get(), offset, bytes);
  return read.isOk() ? success() : generalFailure(std::string(read.message()));
}

Outcome transfer(const FileDescriptor &file, uint64_t offset, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t moved = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved < 0 && (errno == EINVAL || errno == ESPIPE) && !hasEnd(file))
      return writeMapped(file.get(), offset, bytes);
    if (moved < 0)
      return generalFailure(fmt::format("{}", std::strerror(errno)));
    if (moved == 0)
      return generalFailure(fmt::format("its file ends at byte {}, {} more are needed", offset, bytes.size()));
    offset += static_cast<uint64_t>(moved);
    bytes = bytes.subspan(static_cast<size_t>(moved));
  }
  return success();
}

/// Copies in pieces on spare threads. Each piece has its own memory: if a thread does not return, the caller may still
/// free `bytes`. The time limit ends copies from a file system that answers slowly without failing.
template <typename Bytes> Outcome transferAside(const SharedHandle &file, uint64_t offset, Bytes bytes) {
  constexpr bool kWrites = std::is_const_v<typename Bytes::element_type>;
  constexpr size_t kPieceBytes = size_t(1) << 20;
  const auto end = std::chrono::steady_clock::now() + kSlowCopyLimit;
  while (!bytes.empty()) {
    if (std::chrono::steady_clock::now() >= end)
      return generalFailure(
          fmt::format("copying took more than {} s, and {} bytes are left; its file system is too slow",
                      kSlowCopyLimit.count(), bytes.size()));
    const Bytes piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    auto copy = std::make_shared<std::vector<uint8_t>>(piece.begin(), piece.end());
    AVOCET_RETURN_IF_ERROR(
        withPeerFiles<Nothing>({file}, [file, offset, copy] { return transfer(*file, offset, Bytes(*copy)); }));
    if constexpr (!kWrites)
      std::ranges::copy(*copy, piece.begin());
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
  return success();
}

template <typename Bytes> Outcome transfer(const SharedHandle &file, bool isPrompt, uint64_t offset, Bytes bytes) {
  return isPrompt ? transfer(*file, offset, bytes) : transferAside(file, offset, bytes);
}

} // namespace

Result<PoolFile> PoolFile::open(const SharedMemory &memory) {
  if (memory == nullptr)
    return generalFailure("there is no memory");
  AVOCET_ASSIGN_OR_RETURN(Extent extent,
                          std::visit([](const auto &handle) { return extentOf(handle); }, memory->handle));
  if (*extent.fd == nullptr || !(*extent.fd)->isValid())
    return generalFailure("there is no descriptor");
  constexpr uint64_t kMaxEnd = std::numeric_limits<off_t>::max();
  if (extent.start > kMaxEnd || extent.size > kMaxEnd - extent.start)
    return invalidArgument(fmt::format("{} bytes at {} are more than a file can have", extent.size, extent.start));
  PoolFile pool;
  pool.file_ = *extent.fd;
  pool.identity_ = identityOf(*pool.file_);
  pool.start_ = extent.start;
  pool.size_ = extent.size;
  pool.protection_ = extent.protection;
  return pool;
}

bool PoolFile::isPrompt() const {
  const std::atomic_ref<Promptness> known(promptness_);
  if (known == Promptness::Unknown)
    known = answersPromptly(*file_) ? Promptness::Yes : Promptness::No;
  return known == Promptness::Yes;
}

bool PoolFile::mayShrink() const { return !isSealed(*file_, F_SEAL_SHRINK); }

bool PoolFile::reaches(uint64_t end) const {
  std::optional<FileIdentity> now = identityOf(*file_);
  return now && now->size >= end;
}

Outcome PoolFile::checkRange(uint64_t offset, uint64_t length, int32_t protection) const {
  if (offset > size_ || length > size_ - offset)
    return invalidArgument(fmt::format("{} bytes at {} reach beyond its {} bytes", length, offset, size_));
  if ((protection_ & protection) != protection)
    return invalidArgument(fmt::format("protection {} does not allow this access", protection_));
  return success();
}

Outcome PoolFile::read(uint64_t offset, std::span<uint8_t> bytes) const {
  AVOCET_RETURN_IF_ERROR(checkRange(offset, bytes.size(), PROT_READ));
  return transfer(file_, isPrompt(), start_ + offset, bytes);
}

Outcome PoolFile::write(uint64_t offset, std::span<const uint8_t> bytes) const {
  AVOCET_RETURN_IF_ERROR(checkRange(offset, bytes.size(), PROT_WRITE));
  return transfer(file_, isPrompt(), start_ + offset, bytes);
}

Outcome checkPools(const std::vector<SharedMemory> &pools) {
  for (size_t i = 0; i < pools.size(); ++i)
    if (Result<PoolFile> pool = PoolFile::open(pools[i]); !pool)
      return error(pool.code(), fmt::format("pool {}: {}", i, pool.error().message));
  return success();
}

} // namespace avocet::hal
