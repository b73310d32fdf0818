//===- FileMemory.h - A memory of a descriptor -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_FILEMEMORY_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_FILEMEMORY_H

#include "memory/Memory.h"

namespace avocet::nnapi {

/// A range of a file, or a hardware buffer's stand-in.
class FileMemory final : public Memory {
public:
  static ApiResult<std::shared_ptr<Memory>> fromDescriptor(size_t size, int protection, int fd, size_t offset);
  /// `buffer`: an AvocetHardwareBuffer.
  static ApiResult<std::shared_ptr<Memory>> fromHardwareBuffer(const AHardwareBuffer *buffer);

  explicit FileMemory(hal::SharedMemory memory) : memory_(std::move(memory)) {}

  uint64_t size() const override;
  const hal::SharedMemory &shared() const override { return memory_; }
  hal::RequestPool pool() const override { return memory_; }
  ApiOutcome checkUse(const MemoryUse &use, const std::vector<uint32_t> &dimensions, uint64_t offset,
                      uint64_t length) const override;
  ApiOutcome checkConstant(uint64_t offset, uint64_t length) const override;
  ApiOutcome copyFrom(const Memory &source) override;
  ApiOutcome copyTo(const hal::SharedMemory &destination) const override;

private:
  const hal::SharedMemory memory_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_FILEMEMORY_H
