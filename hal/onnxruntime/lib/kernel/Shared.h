//===- Shared.h - What the partitions of a session share --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_SHARED_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_SHARED_H

#include "avocet/hal/plugin/Counters.h"
#include "memory/DeviceMemory.h"
#include "options/Options.h"
#include "profile/DeviceSpans.h"

#include <memory>

namespace avocet::ort {

struct Shared {
  Options options;
  std::shared_ptr<plugin::Engine> engine; ///< also of other sessions
  std::shared_ptr<DeviceMemory> memory;   ///< of all sessions
  plugin::Counters counters = {};
  DeviceSpans spans = {};
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_SHARED_H
