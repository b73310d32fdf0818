//===- SharedArea.h - Memory that this process and devices map ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_SHAREDAREA_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_SHAREDAREA_H

#include "api/ApiResult.h"
#include "avocet/base/File.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
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

/// Anonymous memory as a pool of models and requests. Not thread-safe for conflicting accesses.
class SharedArea {
public:
  /// Requires size > 0. OUT_OF_MEMORY.
  static ApiResult<SharedArea> make(uint64_t size);

  const hal::SharedMemory &memory() const { return memory_; }
  std::span<uint8_t> bytes() { return mapping_.bytes(); }

private:
  hal::SharedMemory memory_;
  Mapping mapping_;
};

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

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_SHAREDAREA_H
