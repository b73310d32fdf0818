//===- AreaCache.h - Areas for values given by pointer -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_AREACACHE_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_AREACACHE_H

#include "memory/MemoryIdentity.h"
#include "memory/SharedArea.h"

#include <memory>
#include <mutex>
#include <vector>

namespace avocet::nnapi {

/// A shared area with its number in bursts.
struct Area {
  SharedArea area;
  MemoryIdentity identity;
};

/// Keeps areas of ended executions for later ones, which saves mapping them anew. Thread-safe.
class AreaCache {
public:
  /// An area of at least `size` bytes.
  ApiResult<std::unique_ptr<Area>> take(uint64_t size);
  void giveBack(std::unique_ptr<Area> area);

private:
  static constexpr size_t kMaxKept = 4;
  std::mutex mutex_; ///< guards the member below
  std::vector<std::unique_ptr<Area>> kept_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_AREACACHE_H
