//===- DeviceMemory.h - Memory that tensors of the runtime lie in *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime and the application ask for memory of the device, which the host can read and write too. Freed memory is
// kept for the next tensor of its size, so that runs do not map memory.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_MEMORY_DEVICEMEMORY_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_MEMORY_DEVICEMEMORY_H

#include "abi/Runtime.h"

#include "avocet/hal/plugin/Area.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace avocet::ort {

/// The memory of all sessions. Thread-safe.
class DeviceMemory {
public:
  /// Null: there is none.
  void *take(uint64_t bytes) noexcept;
  /// Null is ignored.
  void give(void *memory) noexcept;

  /// The memory that holds the bytes; empty: the device cannot reach them.
  std::optional<plugin::Place> find(const void *data, uint64_t bytes) { return areas_.find(data, bytes); }

  /// Between the memory of the device and other memory, in either direction.
  void copy(void *to, const void *from, uint64_t bytes);
  /// The same of numbers that become those of another type.
  template <typename From, typename To> void convert(const void *from, void *to, uint64_t count) {
    std::transform(static_cast<const From *>(from), static_cast<const From *>(from) + count, static_cast<To *>(to),
                   [](From number) { return static_cast<To>(number); });
    bytesCopied_ += count * sizeof(To);
  }

  struct Figures {
    uint64_t allocations = 0;
    uint64_t bytesInUse = 0;
    uint64_t mostBytesInUse = 0;
    uint64_t bytesCopied = 0;
  };
  Figures figures() const;

private:
  using AreaPtr = std::shared_ptr<plugin::Area>;

  plugin::Areas areas_;
  std::atomic<uint64_t> bytesCopied_ = 0;

  mutable std::mutex mutex_; ///< guards the members below
  std::map<void *, AreaPtr> used_;
  std::multimap<uint64_t, AreaPtr> free_; ///< by size
  uint64_t freeBytes_ = 0;
  Figures figures_;
};

/// What the runtime has of the memory. `info` belongs to the factory.
class DeviceAllocator : public abi::Allocator {
public:
  DeviceAllocator(const Runtime &runtime, std::shared_ptr<DeviceMemory> memory, const abi::MemoryInfo *info);

private:
  static const DeviceAllocator *of(const abi::Allocator *allocator) {
    return static_cast<const DeviceAllocator *>(allocator);
  }
  Status addStats(abi::KeyValuePairs **stats) const;

  const Runtime runtime_;
  const std::shared_ptr<DeviceMemory> memory_;
  const abi::MemoryInfo *const info_;
};

/// Copies of tensors between the memory of the device and that of the host. The runtime releases it.
class DeviceTransfer : public abi::DataTransfer {
public:
  DeviceTransfer(const Runtime &runtime, std::shared_ptr<DeviceMemory> memory, const abi::MemoryDevice *device);

private:
  static const DeviceTransfer *of(const abi::DataTransfer *transfer) {
    return static_cast<const DeviceTransfer *>(transfer);
  }
  bool isPossible(const abi::MemoryDevice *from, const abi::MemoryDevice *to) const;
  Status copy(const abi::Value *from, abi::Value *to) const;

  const Runtime runtime_;
  const std::shared_ptr<DeviceMemory> memory_;
  const abi::MemoryDevice *const device_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_MEMORY_DEVICEMEMORY_H
