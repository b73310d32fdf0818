//===- Shared.h - What the partitions of a delegate share - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_KERNEL_SHARED_H
#define AVOCET_HAL_DELEGATE_LIB_KERNEL_SHARED_H

#include "device/Engine.h"
#include "kernel/Area.h"
#include "kernel/Profile.h"

#include <atomic>

namespace avocet::delegate {

/// Work since the delegate was created. Each number by itself is exact.
struct Counters {
  std::atomic<uint64_t> nodes = 0; ///< of the interpreters' plans
  std::atomic<uint64_t> nodesOnDevice = 0;
  std::atomic<uint64_t> partitions = 0;
  std::atomic<uint64_t> runs = 0;        ///< of partitions, successful ones
  std::atomic<uint64_t> bytesCopied = 0; ///< between the interpreter's memory and areas
};

struct Shared {
  std::unique_ptr<Engine> engine;
  Areas areas;
  Counters counters;
  Profile profile;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_KERNEL_SHARED_H
