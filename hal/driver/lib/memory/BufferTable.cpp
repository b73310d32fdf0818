//===- BufferTable.cpp - The buffers of one client by token -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/BufferTable.h"

#include <limits>

namespace avocet::hal {

Result<BufferToken> BufferTable::add(std::shared_ptr<DeviceBuffer> buffer) {
  std::lock_guard lock(mutex_);
  if (last_ == std::numeric_limits<uint32_t>::max())
    return error(ErrorStatus::ResourceExhaustedPersistent, "buffer: there are no tokens left");
  buffers_.emplace(last_ + 1, std::move(buffer));
  return BufferToken(++last_);
}

void BufferTable::remove(BufferToken token) {
  std::shared_ptr<DeviceBuffer> removed; // destroyed without the lock
  std::lock_guard lock(mutex_);
  auto found = buffers_.find(static_cast<uint32_t>(token));
  if (found == buffers_.end())
    return;
  removed = std::move(found->second);
  buffers_.erase(found);
}

std::shared_ptr<DeviceBuffer> BufferTable::find(BufferToken token) const {
  std::lock_guard lock(mutex_);
  auto found = buffers_.find(static_cast<uint32_t>(token));
  return found == buffers_.end() ? nullptr : found->second;
}

} // namespace avocet::hal
