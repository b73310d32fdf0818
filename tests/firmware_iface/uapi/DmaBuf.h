//===- DmaBuf.h - Shareable memory of other drivers ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_DMABUF_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_DMABUF_H

#include "avocet/base/File.h"

#include <vector>

namespace avocet::uapi {

/// A dma-buf, mapped by its own descriptor.
class DmaBuf {
public:
  DmaBuf(FileDescriptor file, uint64_t bytes);

  int fd() const { return file_.get(); }
  void closeDescriptor() { file_.reset(); }

  void write(uint8_t value);   ///< to every byte
  std::vector<uint8_t> read(); ///< a copy of all bytes

private:
  void synchronize(uint64_t flags) const;

  FileDescriptor file_;
  Mapping memory_;
};

DmaBuf makeUdmabuf(uint64_t bytes);  ///< /dev/udmabuf: pages of a memory file
DmaBuf makeFromHeap(uint64_t bytes); ///< /dev/dma_heap/system

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_DMABUF_H
