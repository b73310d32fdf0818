//===- BufferTable.h - The buffers of one client by token -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_BUFFERTABLE_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_BUFFERTABLE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace avocet::hal {

class DeviceBuffer;

/// The buffers of one client's tokens. A token is never reused. Thread-safe.
class BufferTable {
public:
  /// ResourceExhaustedPersistent once all tokens were used.
  Result<BufferToken> add(std::shared_ptr<DeviceBuffer> buffer);
  void remove(BufferToken token);
  /// Null: unknown.
  std::shared_ptr<DeviceBuffer> find(BufferToken token) const;

private:
  mutable std::mutex mutex_; ///< guards the members below; a leaf
  std::unordered_map<uint32_t, std::shared_ptr<DeviceBuffer>> buffers_;
  uint32_t last_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_BUFFERTABLE_H
