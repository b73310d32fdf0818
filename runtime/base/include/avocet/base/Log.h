//===- Log.h - Messages for people ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leveled messages on the standard error stream. Safe from any thread; a message below the level costs one atomic load.
// The level comes from the knob AVOCET_LOG until setLogLevel() is called. Logging is a diagnostic aid only: errors
// travel as Status and are never only logged. A line that cannot be written is lost: logging never ends a process (see
// StandardStreams.h).
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LOG_H
#define AVOCET_BASE_LOG_H

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace avocet {

enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };

/// "trace", "debug", "info", "warning", "error", "off"; false when the text is none of them.
bool parseLogLevel(std::string_view text, LogLevel &level);

void setLogLevel(LogLevel level);
bool isLogged(LogLevel level);

/// From now on lines are "2026-11-22T05:30:00.123+0000 PROGRAM LEVEL: ..." instead of "avocet LEVEL: ...". For
/// long-running programs. Call it before other threads log.
void setLogProgram(std::string_view program);

/// Writes one line if its level is shown. `component` is the folder of the caller ("runtime", "sim"); empty: none.
void logText(LogLevel level, std::string_view component, std::string_view text) noexcept;

/// The same regardless of the level: for messages that another setting enables.
void writeLog(LogLevel level, std::string_view component, std::string_view text) noexcept;

/// logMessage(LogLevel::Debug, "runtime", "job {} done", job); the text is formatted only if it is written.
template <typename... Args>
void logMessage(LogLevel level, std::string_view component, fmt::format_string<Args...> format, Args &&...args) {
  if (isLogged(level))
    logText(level, component, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace avocet

#endif // AVOCET_BASE_LOG_H
