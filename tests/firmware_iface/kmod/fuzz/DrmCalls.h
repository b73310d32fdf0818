//===- DrmCalls.h - Calls that all DRM drivers have -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of <drm/drm.h>, <linux/sync_file.h>, <linux/udmabuf.h> and <linux/dma-heap.h>, some of which are in no package that
// the build needs otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_DRMCALLS_H
#define AVOCET_TESTS_KMOD_FUZZ_DRMCALLS_H

#include <cstddef>
#include <cstdint>
#include <sys/ioctl.h>

namespace avocet::fuzz {

struct DrmVersion {
  int major, minor, patch;
  size_t nameBytes;
  char *name;
  size_t dateBytes;
  char *date;
  size_t descriptionBytes;
  char *description;
};
struct DrmGemClose {
  uint32_t handle, pad;
};
struct DrmPrimeHandle {
  uint32_t handle, flags;
  int32_t fd;
};
struct DrmSyncobjCreate {
  uint32_t handle, flags;
};
struct DrmSyncobjDestroy {
  uint32_t handle, pad;
};
struct DrmSyncobjHandle {
  uint32_t handle, flags;
  int32_t fd;
  uint32_t pad;
};
struct DrmSyncobjWait {
  uint64_t handles;
  int64_t timeoutNs;
  uint32_t count, flags, firstSignaled, pad;
  uint64_t deadlineNs;
};
struct DrmSyncobjTransfer {
  uint32_t source, destination;
  uint64_t sourcePoint, destinationPoint;
  uint32_t flags, pad;
};
struct SyncMerge {
  char name[32];
  int32_t fd2, fence;
  uint32_t flags, pad;
};
struct SyncFileInfo {
  char name[32];
  int32_t status;
  uint32_t flags, count, pad;
  uint64_t fences;
};
struct SwSyncCreateFence {
  uint32_t value;
  char name[32];
  int32_t fence;
};
struct UdmabufCreate {
  uint32_t memoryFile, flags;
  uint64_t offset, size;
};
struct DmaHeapAllocate {
  uint64_t bytes;
  uint32_t fd, fdFlags;
  uint64_t heapFlags;
};

inline constexpr unsigned long kVersion = _IOWR('d', 0x00, DrmVersion);
inline constexpr unsigned long kGemClose = _IOW('d', 0x09, DrmGemClose);
inline constexpr unsigned long kHandleToFd = _IOWR('d', 0x2d, DrmPrimeHandle);
inline constexpr unsigned long kFdToHandle = _IOWR('d', 0x2e, DrmPrimeHandle);
inline constexpr unsigned long kSyncobjCreate = _IOWR('d', 0xbf, DrmSyncobjCreate);
inline constexpr unsigned long kSyncobjDestroy = _IOWR('d', 0xc0, DrmSyncobjDestroy);
inline constexpr unsigned long kSyncobjToFd = _IOWR('d', 0xc1, DrmSyncobjHandle);
inline constexpr unsigned long kSyncobjFromFd = _IOWR('d', 0xc2, DrmSyncobjHandle);
inline constexpr unsigned long kSyncobjWait = _IOWR('d', 0xc3, DrmSyncobjWait);
inline constexpr unsigned long kSyncobjTransfer = _IOWR('d', 0xcc, DrmSyncobjTransfer);
inline constexpr unsigned long kSyncMerge = _IOWR('>', 3, SyncMerge);
inline constexpr unsigned long kSyncFileInfo = _IOWR('>', 4, SyncFileInfo);
inline constexpr unsigned long kSwSyncCreateFence = _IOWR('W', 0, SwSyncCreateFence);
inline constexpr unsigned long kSwSyncAdvance = _IOW('W', 1, uint32_t);
inline constexpr unsigned long kUdmabufCreate = _IOW('u', 0x42, UdmabufCreate);
inline constexpr unsigned long kDmaHeapAllocate = _IOWR('H', 0x0, DmaHeapAllocate);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_DRMCALLS_H
