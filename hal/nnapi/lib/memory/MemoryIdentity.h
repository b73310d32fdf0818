//===- MemoryIdentity.h - A number for a memory in bursts --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORYIDENTITY_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORYIDENTITY_H

#include "avocet/hal/types/Interfaces.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace avocet::nnapi {

/// Identifies a memory in bursts, so that they map it once. When it ends, the bursts release what they kept.
/// Thread-safe.
class MemoryIdentity {
public:
  MemoryIdentity();
  ~MemoryIdentity();
  MemoryIdentity(const MemoryIdentity &) = delete;

  int64_t number() const { return number_; }
  /// Remembers a burst that gets the number.
  void noteUse(const std::shared_ptr<hal::IBurst> &burst);

private:
  const int64_t number_;
  std::mutex mutex_; ///< guards the member below
  std::vector<std::weak_ptr<hal::IBurst>> bursts_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORYIDENTITY_H
