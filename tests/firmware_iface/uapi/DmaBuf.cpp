//===- DmaBuf.cpp - Shareable memory of other drivers -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaBuf.h"

#include <algorithm>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::uapi {

DmaBuf::DmaBuf(FileDescriptor file, uint64_t bytes) : file_(std::move(file)) {
  Result<Mapping> memory = Mapping::map(file_.get(), bytes, Mapping::Access::ReadWrite);
  EXPECT_TRUE(memory.isOk()) << memory.status().toString();
  if (memory)
    memory_ = std::move(*memory);
}

void DmaBuf::synchronize(uint64_t flags) const {
  dma_buf_sync sync{flags};
  if (file_.isValid())
    EXPECT_EQ(::ioctl(file_.get(), DMA_BUF_IOCTL_SYNC, &sync), 0);
}

void DmaBuf::write(uint8_t value) {
  synchronize(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
  std::ranges::fill(memory_.bytes(), value);
  synchronize(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
}

std::vector<uint8_t> DmaBuf::read() {
  synchronize(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
  const std::span<const uint8_t> bytes = memory_.bytes();
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  synchronize(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
  return copy;
}

DmaBuf makeUdmabuf(uint64_t bytes) {
  const FileDescriptor memory(::memfd_create("udmabuf", MFD_ALLOW_SEALING | MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(memory.get(), static_cast<off_t>(bytes)), 0);
  EXPECT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  const FileDescriptor driver(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
  udmabuf_create call{
      .memfd = static_cast<__u32>(memory.get()), .flags = UDMABUF_FLAGS_CLOEXEC, .offset = 0, .size = bytes};
  FileDescriptor file(::ioctl(driver.get(), UDMABUF_CREATE, &call));
  EXPECT_TRUE(file.isValid());
  return {std::move(file), bytes};
}

DmaBuf makeFromHeap(uint64_t bytes) {
  const FileDescriptor heap(::open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC));
  dma_heap_allocation_data call{.len = bytes, .fd = 0, .fd_flags = O_RDWR | O_CLOEXEC, .heap_flags = 0};
  EXPECT_EQ(::ioctl(heap.get(), DMA_HEAP_IOCTL_ALLOC, &call), 0);
  return {FileDescriptor(static_cast<int>(call.fd)), bytes};
}

} // namespace avocet::uapi
