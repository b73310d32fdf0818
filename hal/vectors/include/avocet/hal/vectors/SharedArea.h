//===- SharedArea.h - Memory that a device can map --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_VECTORS_SHAREDAREA_H
#define AVOCET_HAL_VECTORS_SHAREDAREA_H

#include "avocet/base/File.h"
#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Types.h"

#include <span>

namespace avocet::hal::conformance {

/// Distance of regions in a pool: the alignment and padding that the interface prefers.
inline constexpr uint64_t kRegionAlignment = 64;
inline constexpr uint64_t alignRegion(uint64_t offset) { return roundUp(offset, kRegionAlignment); }

/// An Ashmem pool that is also mapped in this process.
class SharedArea {
public:
  /// Requires size > 0.
  static avocet::Result<SharedArea> make(uint64_t size);

  SharedMemory memory() const { return memory_; }
  std::span<uint8_t> bytes() { return mapping_.bytes(); }
  std::span<const uint8_t> bytes() const { return mapping_.bytes(); }

private:
  SharedMemory memory_;
  Mapping mapping_;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_VECTORS_SHAREDAREA_H
