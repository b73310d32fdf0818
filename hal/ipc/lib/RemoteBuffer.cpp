//===- RemoteBuffer.cpp - Device memory of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteBuffer.h"

namespace avocet::hal::ipc {

Outcome RemoteBuffer::copyTo(const SharedMemory &memory) {
  HandleWriter handles;
  fb::CopyToT call;
  call.buffer = object_.id();
  call.memory = toMessage(memory, handles);
  return nothingOf(object_.call(std::move(call), handles));
}

Outcome RemoteBuffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) {
  HandleWriter handles;
  fb::CopyFromT call;
  call.buffer = object_.id();
  call.memory = toMessage(memory, handles);
  call.dimensions = dimensions;
  return nothingOf(object_.call(std::move(call), handles));
}

} // namespace avocet::hal::ipc
