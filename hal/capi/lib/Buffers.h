//===- Buffers.h - Memories of descriptors as buffers -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_BUFFERS_H
#define AVOCET_HAL_CAPI_LIB_BUFFERS_H

#include "Api.h"
#include "avocet/hal/types/Interfaces.h"

#include <map>
#include <mutex>

namespace avocet::hal::capi {

using SharedApiMemory = std::shared_ptr<ANeuralNetworksMemory>;

/// Live buffers of a device by their tokens. Thread-safe.
class BufferTable {
public:
  BufferToken add(const SharedApiMemory &memory);
  void remove(BufferToken token);
  /// Null: no live buffer has this token.
  SharedApiMemory find(BufferToken token) const;

private:
  mutable std::mutex mutex_;
  std::map<BufferToken, SharedApiMemory> memories_;
  uint32_t last_ = 0;
};

/// A buffer for a memory that was made from a descriptor.
std::shared_ptr<IBuffer> makeBuffer(SharedApi api, std::shared_ptr<BufferTable> table, SharedApiMemory memory);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_BUFFERS_H
