//===- SameMemory.cpp - Files and identity of memories -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

namespace avocet::hal {
namespace {

/// A dma-buf has an inode of its own, in a file system without file types.
bool isDmaBuf(int fd) {
  struct statfs system = {};
  return ::fstatfs(fd, &system) == 0 && static_cast<uint32_t>(system.f_type) == DMA_BUF_MAGIC;
}

/// Without AT_STATX_DONT_SYNC a file system that another process serves could make the call wait.
std::optional<struct statx> statusOf(const SharedHandle &handle) {
  struct statx status = {};
  if (handle == nullptr || !handle->isValid() ||
      ::statx(handle->get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &status) != 0)
    return std::nullopt;
  return status;
}

std::optional<FilePlace> placeIn(const SharedHandle &handle, uint64_t offset) {
  std::optional<struct statx> status = statusOf(handle);
  if (!status)
    return std::nullopt;
  const bool hasNoType = (status->stx_mode & S_IFMT) == 0;
  if (!S_ISREG(status->stx_mode) && !(hasNoType && isDmaBuf(handle->get())))
    return std::nullopt;
  return FilePlace{makedev(status->stx_dev_major, status->stx_dev_minor), status->stx_ino, offset};
}

struct PlaceVisitor {
  std::optional<FilePlace> operator()(const Ashmem &memory) const { return placeIn(memory.fd, 0); }
  std::optional<FilePlace> operator()(const MappableFile &file) const { return placeIn(file.fd, file.offset); }
  std::optional<FilePlace> operator()(const HardwareBuffer &buffer) const { return placeIn(buffer.fd, 0); }
  std::optional<FilePlace> operator()(const UnknownHandle &) const { return std::nullopt; }
};

bool isSameFile(const SharedHandle &a, const SharedHandle &b) {
  if (a == b)
    return a != nullptr;
  std::optional<struct statx> first = statusOf(a), second = statusOf(b);
  return first && second && first->stx_dev_major == second->stx_dev_major &&
         first->stx_dev_minor == second->stx_dev_minor && first->stx_ino == second->stx_ino;
}

bool isSame(const Ashmem &a, const Ashmem &b) { return a.size == b.size && isSameFile(a.fd, b.fd); }
bool isSame(const MappableFile &a, const MappableFile &b) {
  return a.offset == b.offset && a.size == b.size && a.protection == b.protection && isSameFile(a.fd, b.fd);
}
bool isSame(const HardwareBuffer &a, const HardwareBuffer &b) {
  return a.isBlob == b.isBlob && a.size == b.size && isSameFile(a.fd, b.fd);
}
/// Unknown handles cannot be compared.
bool isSame(const UnknownHandle &, const UnknownHandle &) { return false; }

struct SameVisitor {
  template <typename T> bool operator()(const T &a, const T &b) const { return isSame(a, b); }
  template <typename T, typename U> bool operator()(const T &, const U &) const { return false; }
};

} // namespace

std::optional<FilePlace> filePlaceOf(const Memory &memory) { return std::visit(PlaceVisitor(), memory.handle); }

bool isSameMemory(const SharedMemory &a, const SharedMemory &b) {
  if (a == b)
    return a != nullptr;
  return a && b && std::visit(SameVisitor(), a->handle, b->handle);
}

} // namespace avocet::hal
