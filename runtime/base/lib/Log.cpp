//===- Log.cpp - Messages for people ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Log.h"
#include "avocet/base/CleanText.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/base/Terminal.h"

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <string>
#include <unistd.h>

namespace avocet {
namespace {

struct LevelForm {
  std::string_view name, color;
};

/// Indexed by LogLevel.
constexpr std::array<LevelForm, 6> kLevels = {{{"trace", "\x1b[37m"},
                                               {"debug", "\x1b[36m"},
                                               {"info", "\x1b[32m"},
                                               {"warning", "\x1b[33m"},
                                               {"error", "\x1b[31m"},
                                               {"off", ""}}};

/// "2026-11-29T09:05:07.250+0000": local time.
std::string timeText() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto fraction = now - std::chrono::system_clock::from_time_t(seconds);
  std::tm local = {};
  localtime_r(&seconds, &local);
  std::array<char, 32> date{}, zone{};
  (void)std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &local);
  (void)std::strftime(zone.data(), zone.size(), "%z", &local);
  return fmt::format("{}.{:03}{}", date.data(), std::chrono::duration_cast<std::chrono::milliseconds>(fraction).count(),
                     zone.data());
}

class Logger {
public:
  Logger() {
    LogLevel level = LogLevel::Warning;
    (void)parseLogLevel(knobText(knobs::kLog), level);
    setLevel(level);
    if (Status status = checkKnob(knobs::kLog); !status.isOk())
      write(LogLevel::Warning,
            fmt::format("base: {}; using {}", cleanLine(status.message()), knobs::kLog.defaultValue));
  }

  void setLevel(LogLevel level) { level_ = level; }
  bool shows(LogLevel level) const { return level != LogLevel::Off && level >= level_; }
  void setProgram(std::string_view program) { program_ = program; }

  /// In one piece, to a stream that may be closed, or a pipe without a reader.
  void write(LogLevel level, std::string_view text) const {
    const LevelForm &form = kLevels[static_cast<size_t>(level)];
    const std::string_view on = isColored_ ? form.color : "", off = isColored_ ? "\x1b[0m" : "";
    writeStandardError(program_.empty()
                           ? fmt::format("{}avocet {}{}: {}\n", on, form.name, off, text)
                           : fmt::format("{} {} {}{}{}: {}\n", timeText(), program_, on, form.name, off, text));
  }

private:
  std::atomic<LogLevel> level_;
  const bool isColored_ = hasColors(STDERR_FILENO);
  std::string program_;
};

Logger &logger() {
  // Never destroyed: threads may log while the process ends.
  static auto *instance = new Logger;
  return *instance;
}

} // namespace

bool parseLogLevel(std::string_view text, LogLevel &level) {
  for (size_t i = 0; i < kLevels.size(); ++i) {
    if (text == kLevels[i].name) {
      level = static_cast<LogLevel>(i);
      return true;
    }
  }
  return false;
}

void setLogLevel(LogLevel level) { logger().setLevel(level); }

bool isLogged(LogLevel level) { return logger().shows(level); }

void setLogProgram(std::string_view program) { logger().setProgram(program); }

void logText(LogLevel level, std::string_view component, std::string_view text) noexcept {
  if (isLogged(level))
    writeLog(level, component, text);
}

void writeLog(LogLevel level, std::string_view component, std::string_view text) noexcept {
  try {
    const std::string line = cleanLine(text);
    logger().write(level, component.empty() ? line : fmt::format("{}: {}", component, line));
  } catch (...) { // NOLINT(bugprone-empty-catch): a lost line is no error of the caller
    // No memory for the line: the message is dropped, because no caller depends on it.
  }
}

} // namespace avocet
