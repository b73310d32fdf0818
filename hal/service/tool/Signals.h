//===- Signals.h - Signals that avocetd waits for ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_TOOL_SIGNALS_H
#define AVOCET_HAL_SERVICE_TOOL_SIGNALS_H

#include <csignal>

namespace avocet::hal {

/// Blocks the signals that end the service (SIGINT, SIGTERM, SIGQUIT, SIGHUP), SIGUSR1 and SIGUSR2 in this thread and
/// threads that it starts; the result is for sigwait(). A signal that is ignored at the start stays ignored, as SIGHUP
/// under nohup. Call before any thread starts.
sigset_t blockEndingSignals();

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_TOOL_SIGNALS_H
