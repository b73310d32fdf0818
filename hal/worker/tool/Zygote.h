//===- Zygote.h - The process that forks workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_TOOL_ZYGOTE_H
#define AVOCET_HAL_WORKER_TOOL_ZYGOTE_H

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::hal {

struct ZygoteOptions {
  uint32_t idleWorkers = 1;
  uint64_t memoryBytes = 0;
  uint64_t seconds = 0; ///< of processor time for one worker
  std::string compilerLibrary;
  std::vector<std::string> targets;
  int control = -1;    ///< socket on which the service sends requests
  uint32_t number = 0; ///< number of earlier zygotes
};

/// Loads the compiler, compiles a small model for each target, and keeps idle workers ready until the service closes
/// its end of `control`. Returns the exit code of the process. It reads no request itself.
int runZygote(const ZygoteOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_TOOL_ZYGOTE_H
