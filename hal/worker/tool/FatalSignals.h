//===- FatalSignals.h - Reports a worker's cause of death -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_TOOL_FATALSIGNALS_H
#define AVOCET_HAL_WORKER_TOOL_FATALSIGNALS_H

namespace avocet::hal {

/// Installs handlers that send a packet before the process ends by a signal, a refused system call or lack of memory.
/// Called once, before system calls are filtered.
void installFatalSignalHandlers();

/// The socket for the packet. Negative: none is sent.
void reportFatalSignalsTo(int socket);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_TOOL_FATALSIGNALS_H
