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

#include <spdlog/sinks/base_sink.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <unistd.h>

namespace avocet {
namespace {

constexpr std::array<std::string_view, 6> kLevelNames = {"trace", "debug", "info", "warning", "error", "off"};

spdlog::level::level_enum toSpdlog(LogLevel level) {
  constexpr std::array kLevels = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                  spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  return kLevels[static_cast<size_t>(level)];
}

/// Lines go to writeStandardError(), which tolerates a stream that cannot be written. spdlog's own sinks raise SIGPIPE.
class StandardErrorSink final : public spdlog::sinks::base_sink<std::mutex> {
protected:
  void sink_it_(const spdlog::details::log_msg &message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    writeStandardError(colored_ ? colorLine(message, {line.data(), line.size()})
                                : std::string(line.data(), line.size()));
  }
  void flush_() override {}

private:
  /// `message` has the range that %^ and %$ enclose in the pattern.
  static std::string colorLine(const spdlog::details::log_msg &message, std::string_view line) {
    constexpr std::array<std::string_view, 6> kColors = {"\x1b[37m", "\x1b[36m", "\x1b[32m",
                                                         "\x1b[33m", "\x1b[31m", "\x1b[31m"};
    const size_t start = std::min(message.color_range_start, line.size());
    const size_t end = std::clamp(message.color_range_end, start, line.size());
    const auto color = std::min(static_cast<size_t>(message.level), kColors.size() - 1);
    return fmt::format("{}{}{}\x1b[0m{}", line.substr(0, start), kColors[color], line.substr(start, end - start),
                       line.substr(end));
  }

  const bool colored_ = hasColors(STDERR_FILENO);
};

std::shared_ptr<spdlog::logger> makeLogger() {
  auto logger = std::make_shared<spdlog::logger>("avocet", std::make_shared<StandardErrorSink>());
  logger->set_pattern("%^avocet %l%$: %v");
  // spdlog's default handler writes to the standard error stream itself.
  logger->set_error_handler([](const std::string &) {});
  LogLevel level = LogLevel::Warning;
  (void)parseLogLevel(knobText(knobs::kLog), level);
  logger->set_level(toSpdlog(level));
  if (Status status = checkKnob(knobs::kLog); !status.isOk())
    logger->warn("base: {}; using {}", cleanLine(status.message()), knobs::kLog.defaultValue);
  return logger;
}

spdlog::logger &logger() {
  // Never destroyed: threads may log while the process ends.
  static auto *instance = new std::shared_ptr<spdlog::logger>(makeLogger());
  return **instance;
}

std::string withComponent(std::string_view component, std::string_view text) {
  return component.empty() ? std::string(text) : fmt::format("{}: {}", component, text);
}

} // namespace

bool parseLogLevel(std::string_view text, LogLevel &level) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (text == kLevelNames[i]) {
      level = static_cast<LogLevel>(i);
      return true;
    }
  }
  return false;
}

void setLogLevel(LogLevel level) { logger().set_level(toSpdlog(level)); }

bool isLogged(LogLevel level) { return level != LogLevel::Off && logger().should_log(toSpdlog(level)); }

void setLogProgram(std::string_view program) {
  std::string name;
  for (char c : program)
    name += c == '%' ? std::string("%%") : std::string(1, c);
  logger().set_pattern(fmt::format("%Y-%m-%dT%H:%M:%S.%e%z {} %^%l%$: %v", name));
}

void logText(LogLevel level, std::string_view component, std::string_view text) noexcept {
  if (isLogged(level))
    writeLog(level, component, text);
}

void writeLog(LogLevel level, std::string_view component, std::string_view text) noexcept {
  try {
    const std::string line = withComponent(component, cleanLine(text));
    for (const spdlog::sink_ptr &sink : logger().sinks())
      sink->log(spdlog::details::log_msg(logger().name(), toSpdlog(level), line));
  } catch (...) { // NOLINT(bugprone-empty-catch): a lost line is no error of the caller
    // No memory for the line: the message is dropped, because no caller depends on it.
  }
}

} // namespace avocet
