//===- Shared.h - What the partitions of a session share --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_SHARED_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_SHARED_H

#include "avocet/hal/plugin/Engine.h"
#include "memory/DeviceMemory.h"
#include "options/Options.h"

#include <atomic>
#include <memory>

namespace avocet::ort {

/// Work since the session was created. Each number by itself is exact.
struct Counters {
  std::atomic<uint64_t> nodes = 0; ///< that the runtime showed
  std::atomic<uint64_t> nodesOnDevice = 0;
  std::atomic<uint64_t> partitions = 0;
  std::atomic<uint64_t> runs = 0; ///< of partitions, successful ones
};

struct Shared {
  Options options;
  std::shared_ptr<plugin::Engine> engine; ///< also of other sessions
  std::shared_ptr<DeviceMemory> memory;   ///< of all sessions
  Counters counters = {};
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_SHARED_H
