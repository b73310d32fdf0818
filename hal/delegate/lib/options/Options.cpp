//===- Options.cpp - What the application asks for - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options/Options.h"

#include "avocet/base/Knobs.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <set>

namespace avocet::delegate {
namespace {

constexpr size_t kMaxText = 4096;
constexpr size_t kMaxShown = 60;

/// Texts of the application in a message: short, without control characters.
std::string shown(std::string_view text) {
  std::string letters(text.substr(0, kMaxShown));
  std::ranges::replace_if(letters, [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }, '?');
  return "'" + letters + (text.size() > kMaxShown ? "...'" : "'");
}

using Setter = Status (*)(Options &options, const std::string &value);

Status setPriority(Options &options, const std::string &value) {
  constexpr std::pair<std::string_view, hal::Priority> kNames[] = {
      {"low", hal::Priority::Low}, {"medium", hal::Priority::Medium}, {"high", hal::Priority::High}};
  for (const auto &[name, priority] : kNames)
    if (value == name) {
      options.priority = priority;
      return Status::ok();
    }
  return invalidArgument(fmt::format("option priority is {}, must be low, medium or high", shown(value)));
}

Status setFloat16(Options &options, const std::string &value) {
  const bool isTrue = value == "true" || value == "1";
  if (!isTrue && value != "false" && value != "0")
    return invalidArgument(fmt::format("option allow_fp16 is {}, must be true or false", shown(value)));
  options.allowsFloat16 = isTrue;
  return Status::ok();
}

template <std::string Options::*member> Status setText(Options &options, const std::string &value) {
  options.*member = value;
  return Status::ok();
}

constexpr std::pair<std::string_view, Setter> kSetters[] = {
    {"device", setText<&Options::device>},
    {"socket", setText<&Options::socket>},
    {"priority", setPriority},
    {"cache_dir", setText<&Options::cacheFolder>},
    {"allow_fp16", setFloat16},
    {"profile", setText<&Options::profile>},
};

Result<Setter> findSetter(std::string_view key) {
  std::string names;
  for (const auto &[name, setter] : kSetters) {
    if (key == name)
      return setter;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return invalidArgument(fmt::format("there is no option {}; the options are {}", shown(key), names));
}

Result<std::string> textOf(const char *text, std::string_view what) {
  if (text == nullptr)
    return invalidArgument(fmt::format("the {} is a null pointer, must be a text", what));
  const std::string_view view(text, strnlen(text, kMaxText + 1));
  if (view.size() > kMaxText)
    return invalidArgument(fmt::format("the {} has more than {} bytes", what, kMaxText));
  return std::string(view);
}

std::string defaultDevice(const Options &options) {
  const std::string target = knobText(knobs::kTarget);
  return options.socket.empty() ? target : "avocet-" + target;
}

} // namespace

Result<Options> parseOptions(const char *const *keys, const char *const *values, size_t count) {
  Options options;
  if (count > 0 && (keys == nullptr || values == nullptr))
    return invalidArgument(fmt::format("the lists of {} options are null pointers", count));
  std::set<std::string> given;
  for (size_t i = 0; i < count; ++i) {
    AVOCET_ASSIGN_OR_RETURN(const std::string key, textOf(keys[i], fmt::format("name of option {}", i)));
    AVOCET_ASSIGN_OR_RETURN(const Setter setter, findSetter(key));
    AVOCET_ASSIGN_OR_RETURN(const std::string value, textOf(values[i], fmt::format("value of option {}", key)));
    if (!given.insert(key).second)
      return invalidArgument(fmt::format("option {} is given twice", key));
    AVOCET_RETURN_IF_ERROR(setter(options, value));
  }
  if (options.device.empty())
    options.device = defaultDevice(options);
  return options;
}

} // namespace avocet::delegate
