//===- SyncFile.h - sync_files and dma-bufs in tests -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What any other program does with the descriptors: only calls of the kernel's common interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_KERNEL_SYNCFILE_H
#define AVOCET_TESTS_RUNTIME_KERNEL_SYNCFILE_H

#include "avocet/base/File.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace avocet::runtime::test {

// Of <linux/dma-buf.h>, which Debian 12 has without them.
struct DmaBufSyncFile {
  uint32_t flags;
  int32_t fd;
};
inline constexpr unsigned long kExportSyncFile = _IOWR('b', 2, DmaBufSyncFile);
inline constexpr unsigned long kImportSyncFile = _IOW('b', 3, DmaBufSyncFile);

/// 0: active, 1: signaled, negative: the error that it signaled.
inline int statusOf(const FileDescriptor &file) {
  sync_file_info info{};
  EXPECT_EQ(::ioctl(file.get(), SYNC_IOC_FILE_INFO, &info), 0) << "no sync_file";
  return info.status;
}

/// What the kernel says about the fence of a sync_file that has one.
inline sync_fence_info onlyFenceOf(const FileDescriptor &file) {
  sync_fence_info fence{};
  sync_file_info info{};
  info.num_fences = 1;
  info.sync_fence_info = reinterpret_cast<uintptr_t>(&fence);
  EXPECT_EQ(::ioctl(file.get(), SYNC_IOC_FILE_INFO, &info), 0) << "no sync_file";
  EXPECT_EQ(info.num_fences, 1U);
  return fence;
}

/// Whether it polls readable within a time; negative: for ever.
inline bool polls(const FileDescriptor &file, int milliseconds, short events = POLLIN) {
  pollfd entry{file.get(), events, 0};
  return ::poll(&entry, 1, milliseconds) == 1 && (entry.revents & events) != 0;
}

/// Signals when both have.
inline FileDescriptor merge(const FileDescriptor &a, const FileDescriptor &b) {
  sync_merge_data data{};
  data.fd2 = b.get();
  EXPECT_EQ(::ioctl(a.get(), SYNC_IOC_MERGE, &data), 0);
  return FileDescriptor(data.fence);
}

inline FileDescriptor makeMemoryFile(uint64_t bytes) {
  FileDescriptor file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  return file;
}

/// A dma-buf of the driver udmabuf, on the pages of a memory file.
inline FileDescriptor makeUdmabuf(const FileDescriptor &memory, uint64_t bytes) {
  EXPECT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  const FileDescriptor device(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
  udmabuf_create create{static_cast<uint32_t>(memory.get()), UDMABUF_FLAGS_CLOEXEC, 0, bytes};
  return FileDescriptor(::ioctl(device.get(), UDMABUF_CREATE, &create));
}

/// A dma-buf of the system's heap.
inline FileDescriptor makeHeapBuffer(uint64_t bytes) {
  const FileDescriptor heap(::open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC));
  dma_heap_allocation_data data{};
  data.len = bytes;
  data.fd_flags = O_RDWR | O_CLOEXEC;
  EXPECT_EQ(::ioctl(heap.get(), DMA_HEAP_IOCTL_ALLOC, &data), 0);
  return FileDescriptor(static_cast<int>(data.fd));
}

} // namespace avocet::runtime::test

#endif // AVOCET_TESTS_RUNTIME_KERNEL_SYNCFILE_H
