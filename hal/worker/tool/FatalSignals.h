//===- FatalSignals.h - A worker's last words -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_TOOL_FATALSIGNALS_H
#define AVOCET_HAL_WORKER_TOOL_FATALSIGNALS_H

namespace avocet::hal {

/// Prepares the process: whatever ends it by a signal, a refused system call or lack of memory is reported by a packet
/// first. Called once, before system calls are filtered.
void installFatalSignalHandlers();

/// Where the packet goes. No socket: nowhere.
void reportFatalSignalsTo(int socket);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_TOOL_FATALSIGNALS_H
