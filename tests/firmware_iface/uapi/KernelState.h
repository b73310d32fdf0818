//===- KernelState.h - What the kernel holds for the driver -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_KERNELSTATE_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_KERNELSTATE_H

#include <cstdint>
#include <ostream>

namespace avocet::uapi {

/// Counters of the whole machine. Nothing but the test may run.
struct KernelState {
  uint64_t dmaBufs = 0;     ///< shared buffers
  uint64_t pinnedPages = 0; ///< pages of processes that drivers have pinned
  uint64_t sharedPages = 0; ///< buffers of the driver, and files in memory
  uint64_t fences = 0;      ///< of jobs

  bool operator==(const KernelState &) const = default;
  friend void PrintTo(const KernelState &state, std::ostream *out);

  /// The state once the driver holds nothing, or after some seconds: the kernel frees objects later.
  static KernelState readIdle();
  /// The state once it is `expected`, or after some seconds.
  static KernelState readUntil(const KernelState &expected);

private:
  static KernelState read();
};

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_KERNELSTATE_H
