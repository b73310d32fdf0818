//===- FencedTask.h - Fenced executions by the host -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_FENCEDTASK_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_FENCEDTASK_H

#include "model/Tasks.h"

#include "avocet/hal/types/Interfaces.h"

#include <functional>
#include <vector>

namespace avocet::hal::partition {

/// Waits for the fences on a thread of the host, calls `run` with the options that are left, and signals the fence.
/// `run` keeps alive what it uses, `tasks` included, and is dropped before the fence signals.
Result<FencedLaunch> launchFenced(Tasks &tasks, const std::vector<SyncFence> &waitFor, const FencedOptions &options,
                                  std::function<ExecutionOutcome(const ExecutionOptions &)> run);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_FENCEDTASK_H
