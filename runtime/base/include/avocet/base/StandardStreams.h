//===- StandardStreams.h - Output that never ends the process ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text for the standard output and the standard error stream. No function here throws, aborts or raises SIGPIPE, even
// when the reader is gone, the disk is full or the descriptor is closed. A lost message on the standard error stream is
// ignored. The first failure of the standard output is kept until finishStandardOutput() reports it. All functions are
// safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_STANDARDSTREAMS_H
#define AVOCET_BASE_STANDARDSTREAMS_H

#include "avocet/base/Status.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace avocet {

/// Call it first in main(). Closed descriptors 0 to 2 are replaced by descriptors on which reads and writes fail;
/// otherwise the next opened file would get the number and the program's messages. Ignores SIGPIPE and SIGXFSZ: writes
/// to closed pipes and beyond the limit of file sizes fail with an error.
void prepareStandardStreams();

/// Appends to the standard output's buffer. After a failure the text is dropped.
void writeStandardOutput(std::string_view text) noexcept;

/// Writes the text without a buffer. Text that cannot be written is dropped.
void writeStandardError(std::string_view text) noexcept;

/// Writes the standard output's buffer.
void flushStandardOutput() noexcept;

/// Flushes. The first failure of the standard output since the program started, with its reason: ResourceExhausted for
/// a full disk, otherwise InvalidArgument (see errnoStatus()).
Status finishStandardOutput() noexcept;

/// printOut("{} cycles\n", cycles): formats and writes to the standard output.
template <typename... Args> void printOut(fmt::format_string<Args...> format, Args &&...args) {
  writeStandardOutput(fmt::format(format, std::forward<Args>(args)...));
}

/// The same on the standard error stream, after all output so far.
template <typename... Args> void printErr(fmt::format_string<Args...> format, Args &&...args) {
  flushStandardOutput();
  writeStandardError(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace avocet

#endif // AVOCET_BASE_STANDARDSTREAMS_H
