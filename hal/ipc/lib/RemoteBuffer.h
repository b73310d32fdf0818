//===- RemoteBuffer.h - Device memory of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_REMOTEBUFFER_H
#define AVOCET_HAL_IPC_LIB_REMOTEBUFFER_H

#include "RemoteObject.h"

namespace avocet::hal::ipc {

class RemoteBuffer final : public IBuffer {
public:
  RemoteBuffer(std::shared_ptr<Connection> connection, uint64_t id, BufferToken token)
      : object_(std::move(connection), id), token_(token) {}

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

private:
  RemoteObject object_;
  const BufferToken token_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_REMOTEBUFFER_H
