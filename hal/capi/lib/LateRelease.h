//===- LateRelease.h - Objects that are freed after fences ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_LATERELEASE_H
#define AVOCET_HAL_CAPI_LIB_LATERELEASE_H

#include "avocet/hal/types/SyncFence.h"

#include <memory>
#include <vector>

namespace avocet::hal::capi {

/// Drops a reference once none of the fences is active: at once, or later on a thread of the process. To free an event
/// of the C library waits for its fence, which may belong to a process that never signals it; no caller may wait for
/// that. What still waits when the process ends is not freed. Does not block on the fences. Thread-safe.
void releaseAfter(std::vector<SyncFence> fences, std::shared_ptr<void> object);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_LATERELEASE_H
