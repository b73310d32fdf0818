//===- ResilientBuffer.h - Buffers that outlive their service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_RESILIENTBUFFER_H
#define AVOCET_HAL_IPC_LIB_RESILIENTBUFFER_H

#include "ResilientPreparedModel.h"

namespace avocet::hal::ipc {

/// The arguments of a buffer's allocation, with resilient models.
struct BufferUse {
  std::vector<uint32_t> dimensions;
  std::vector<BufferRole> inputRoles, outputRoles;

  Result<std::shared_ptr<IBuffer>> allocate(const SharedEpoch &epoch) const;
};

class ResilientBuffer final : public IBuffer {
public:
  static std::shared_ptr<IBuffer> create(std::shared_ptr<ResilientLink> link, BufferUse use, uint64_t epoch,
                                         std::shared_ptr<IBuffer> buffer);
  ~ResilientBuffer() override { link_->removeBuffer(token_); }

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

  Result<std::shared_ptr<IBuffer>> in(const SharedEpoch &epoch);

private:
  ResilientBuffer(std::shared_ptr<ResilientLink> link, BufferUse use, uint64_t epoch, std::shared_ptr<IBuffer> buffer)
      : link_(std::move(link)), use_(std::move(use)), remade_(epoch, std::move(buffer)) {}

  const std::shared_ptr<ResilientLink> link_;
  const BufferUse use_;
  Remade<IBuffer> remade_;
  BufferToken token_ = BufferToken(0);
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_RESILIENTBUFFER_H
