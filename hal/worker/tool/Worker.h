//===- Worker.h - One worker process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_TOOL_WORKER_H
#define AVOCET_HAL_WORKER_TOOL_WORKER_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Loader.h"
#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <cstdint>
#include <sys/types.h>

namespace avocet::hal {

/// State that all workers inherit from their zygote.
struct WorkerSetup {
  avocet::Result<compiler::LoadedCompiler> compiler; ///< every request gets its error, if any
  SystemCallFilter filter;
  uint32_t zygote = 0;      ///< number of the zygote
  int control = -1;         ///< socket for requests
  int takenPipe = -1;       ///< a worker writes its process number here when it takes a request
  uint64_t memoryBytes = 0; ///< limit of the address space
};

/// Allows the calls of a worker: to compute, allocate, and answer through its descriptors.
void allowWorkerCalls(SystemCallFilter &filter);

/// Waits for one request, answers it and ends the process. Called in a process that was just forked.
[[noreturn]] void runWorker(const WorkerSetup &setup);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_TOOL_WORKER_H
