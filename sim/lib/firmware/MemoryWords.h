//===- MemoryWords.h - Words shared by driver and device --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words that the other side writes or reads concurrently are loaded and stored whole, with acquire and release order.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_MEMORYWORDS_H
#define AVOCET_SIM_LIB_FIRMWARE_MEMORYWORDS_H

#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace avocet::sim {

/// The word at the start of `memory`; nothing if it has fewer than four bytes or is not aligned to a host word.
inline std::optional<uint32_t> loadAcquire(std::span<uint8_t> memory) {
  if (memory.size() < sizeof(uint32_t) || reinterpret_cast<uintptr_t>(memory.data()) % sizeof(uint32_t) != 0)
    return std::nullopt;
  return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t *>(memory.data())).load(std::memory_order_acquire);
}

inline bool storeRelease(std::span<uint8_t> memory, uint32_t value) {
  if (memory.size() < sizeof(uint32_t) || reinterpret_cast<uintptr_t>(memory.data()) % sizeof(uint32_t) != 0)
    return false;
  std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t *>(memory.data())).store(value, std::memory_order_release);
  return true;
}

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_MEMORYWORDS_H
