//===- Confinement.h - Drops rights of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_TOOL_CONFINEMENT_H
#define AVOCET_HAL_SERVICE_TOOL_CONFINEMENT_H

#include "avocet/base/CommandLine.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

struct ConfinementOptions {
  std::string user;               ///< empty: the user that started the service
  bool isSandboxed = true;        ///< system calls and files are restricted
  bool compilesInProcess = false; ///< no compile workers
  WorkerOptions workers;
};

/// Files that the service needs while it serves. Empty: none.
struct ServicePaths {
  std::string socket;         ///< removed at the end
  std::string cacheDirectory; ///< made if it does not exist
  std::vector<std::string> targets;
  std::vector<std::string> outputs; ///< files to be written later
  std::string devices;              ///< a device node, or a folder of them
  char requests = 0;                ///< letter of the ioctl requests of these devices (ServiceSandbox.h)
};

void addConfinement(CommandLine &app, ConfinementOptions &options);

/// Drops the rights that the service does not need. Starts the compile workers before it drops the right to do so; null
/// if it compiles in this process. The socket must exist already, and no thread may have started.
Result<std::shared_ptr<CompileWorkers>> confine(const ConfinementOptions &options, const ServicePaths &paths);

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_TOOL_CONFINEMENT_H
