//===- Interfaces.cpp - Defaults of optional features -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver may omit these functions; its clients must work without them.
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Interfaces.h"

namespace avocet::hal {

Result<FencedLaunch> IExecution::computeFenced(const std::vector<SyncFence> &, const OptionalTimePoint &,
                                               const OptionalDuration &) {
  return generalFailure("the device offers no fenced executions");
}

Result<FencedLaunch> IPreparedModel::executeFenced(const Request &, const std::vector<SyncFence> &,
                                                   const FencedOptions &) {
  return generalFailure("the device offers no fenced executions");
}

Result<std::shared_ptr<IBurst>> IPreparedModel::configureBurst() {
  return generalFailure("the device offers no bursts");
}

Result<std::shared_ptr<IBuffer>> IDevice::allocate(const std::vector<uint32_t> &, const std::vector<BufferRole> &,
                                                   const std::vector<BufferRole> &) {
  return generalFailure("the device allocates no buffers");
}

} // namespace avocet::hal
