//===- Log.cpp - Messages for people ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Log.h"

#include "avocet/base/Knobs.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <string>

namespace avocet {
namespace {

constexpr std::array<std::string_view, 6> kLevelNames = {"trace", "debug", "info", "warning", "error", "off"};

spdlog::level::level_enum toSpdlog(LogLevel level) {
  constexpr std::array kLevels = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                  spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  return kLevels[static_cast<size_t>(level)];
}

std::shared_ptr<spdlog::logger> makeLogger() {
  auto logger = std::make_shared<spdlog::logger>("avocet", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%^avocet %l%$: %v");
  LogLevel level = LogLevel::Warning;
  bool known = parseLogLevel(knobText(knobs::kLog), level);
  logger->set_level(toSpdlog(level));
  if (!known)
    logger->warn("base: {} holds '{}', which is no level; using warning", knobs::kLog.name, knobText(knobs::kLog));
  return logger;
}

spdlog::logger &logger() {
  // Never destroyed: threads may log while the process ends.
  static auto *instance = new std::shared_ptr<spdlog::logger>(makeLogger());
  return **instance;
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

void logText(LogLevel level, std::string_view component, std::string_view text) {
  logger().log(toSpdlog(level), "{}: {}", component, text);
}

void writeLog(LogLevel level, std::string_view component, std::string_view text) {
  std::string line = fmt::format("{}: {}", component, text);
  for (const spdlog::sink_ptr &sink : logger().sinks())
    sink->log(spdlog::details::log_msg(logger().name(), toSpdlog(level), line));
}

} // namespace avocet
