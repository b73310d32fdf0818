//===- StreamSync.h - One list of commands becomes many streams -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a list of commands that is correct when run one after the other into one stream per engine, and orders the
// streams by semaphores so that every pair of commands on different engines that conflicts (both touch a byte, one of
// them writes) runs in the order of the list. What touches what comes from firmware::appendFootprint.
//
// Each engine that others wait for counts its progress in one semaphore: it signals behind exactly those of its
// commands that some wait names, and the wait's value is how many of these there are up to that command. A wait is left
// out when earlier waits of the stream, or what the awaited engines themselves had waited for, imply it (vector
// clocks); what is left cannot be thinned further without losing an order. Time grows with the list's length and not
// with its square.
//
// Rejected: one semaphore per pair of engines (more signals, and no fewer waits), and barriers between layers (they
// undo the prefetch that the list's order expresses).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_STREAMSYNC_H
#define AVOCET_COMPILER_CONVERSION_STREAMSYNC_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::compiler {

/// A command and the engine whose stream takes it. Wait, Signal and End must not occur.
struct LinearCommand {
  firmware::Engine engine;
  firmware::Command command;
};

/// A command of a stream. `source` is the index of the list's command that it is, or that it waits or signals for.
struct StreamCommand {
  firmware::Command command;
  uint32_t source = 0;
};

/// Commands in order, without the End.
struct Stream {
  firmware::Engine engine;
  std::vector<StreamCommand> commands;
};

struct SyncedStreams {
  std::vector<Stream> streams; ///< in the order of firmware::Engine; only engines with commands
  uint32_t semaphores = 0;     ///< numbers in use are 0 to semaphores - 1
};

/// More engines than this in one list are Unsupported.
inline constexpr size_t kMaxEngines = 16;

/// Errors: Aborted (Support/Cancel.h), Unsupported (too many engines), ResourceExhausted (more semaphores than `maxSemaphores` would be needed).
Result<SyncedStreams> splitStreams(std::span<const LinearCommand> list, uint32_t maxSemaphores);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_STREAMSYNC_H
