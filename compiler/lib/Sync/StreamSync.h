//===- StreamSync.h - One list of commands becomes many streams -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a list of commands that is correct when run sequentially into one stream per engine. Semaphores order the
// streams so that every pair of conflicting commands on different engines (both access a byte, at least one writes it)
// runs in list order. firmware::appendFootprint defines the bytes that a command accesses.
//
// Each engine on which others wait counts its progress in one semaphore. It signals after exactly those of its commands
// that some wait names; the wait's value is the number of these commands up to that one. A wait is omitted if earlier
// waits of the stream, or earlier waits of the awaited engines, imply it (vector clocks). Removing any other wait would
// lose an ordering. Run time is linear in the list's length, not quadratic.
//
// Rejected: one semaphore per pair of engines (more signals, no fewer waits); barriers between layers (they undo the
// prefetch that the list's order expresses).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SYNC_STREAMSYNC_H
#define AVOCET_COMPILER_LIB_SYNC_STREAMSYNC_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::compiler {

/// A command and the engine to whose stream it goes. Wait, Signal and End must not occur.
struct LinearCommand {
  firmware::Engine engine;
  firmware::Command command;
};

/// A command of a stream. `source` is the index in the list of this command, or of the command for which it waits or
/// signals.
struct StreamCommand {
  firmware::Command command;
  uint32_t source = 0;
};

/// Commands in order, without the final End.
struct Stream {
  firmware::Engine engine;
  std::vector<StreamCommand> commands;
};

struct SyncedStreams {
  std::vector<Stream> streams; ///< in the order of firmware::Engine; only engines with commands
  uint32_t semaphores = 0;     ///< numbers in use are 0 to semaphores - 1
};

/// A list with more engines than this is Unsupported.
inline constexpr size_t kMaxEngines = 16;

/// Errors: Aborted (Support/Cancel.h), Unsupported (too many engines), ResourceExhausted (more semaphores than
/// `maxSemaphores` would be needed).
Result<SyncedStreams> splitStreams(std::span<const LinearCommand> list, uint32_t maxSemaphores);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_SYNC_STREAMSYNC_H
