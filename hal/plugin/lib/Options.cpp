//===- Options.cpp - Options as texts ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/plugin/Options.h"

#include "avocet/base/Knobs.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <set>

namespace avocet::plugin {
namespace {

constexpr size_t kMaxText = 4096;
constexpr size_t kMaxShown = 60;

Status setPriority(EngineOptions &options, const std::string &value) {
  constexpr std::pair<std::string_view, hal::Priority> kNames[] = {
      {"low", hal::Priority::Low}, {"medium", hal::Priority::Medium}, {"high", hal::Priority::High}};
  for (const auto &[name, priority] : kNames)
    if (value == name) {
      options.priority = priority;
      return Status::ok();
    }
  return invalidArgument(fmt::format("option priority is {}, must be low, medium or high", shown(value)));
}

Status setFlag(std::string_view name, bool &flag, const std::string &value) {
  const bool isTrue = value == "true" || value == "1";
  if (!isTrue && value != "false" && value != "0")
    return invalidArgument(fmt::format("option {} is {}, must be true or false", name, shown(value)));
  flag = isTrue;
  return Status::ok();
}

Result<const TextOption *> findOption(std::span<const TextOption> options, std::string_view key) {
  std::string names;
  for (const TextOption &option : options) {
    if (key == option.name)
      return &option;
    names += (names.empty() ? "" : ", ") + std::string(option.name);
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

} // namespace

std::string shown(std::string_view text) {
  std::string letters(text.substr(0, kMaxShown));
  std::ranges::replace_if(letters, [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }, '?');
  return "'" + letters + (text.size() > kMaxShown ? "...'" : "'");
}

TextOption textOption(std::string_view name, std::string &text) {
  return {name, [&text](const std::string &value) {
            text = value;
            return Status::ok();
          }};
}

TextOption flagOption(std::string_view name, bool &flag) {
  return {name, [name, &flag](const std::string &value) { return setFlag(name, flag, value); }};
}

std::vector<TextOption> engineOptions(EngineOptions &options) {
  return {textOption("device", options.device),
          textOption("socket", options.socket),
          {"priority", [&options](const std::string &value) { return setPriority(options, value); }},
          textOption("cache_dir", options.cacheFolder),
          flagOption("allow_fp16", options.allowsFloat16)};
}

std::string defaultDevice(const EngineOptions &options) {
  const std::string target = knobText(knobs::kTarget);
  return options.socket.empty() ? target : "avocet-" + target;
}

Status setOptions(std::span<const TextOption> options, const char *const *keys, const char *const *values,
                  size_t count) {
  if (count > 0 && (keys == nullptr || values == nullptr))
    return invalidArgument(fmt::format("the lists of {} options are null pointers", count));
  std::set<std::string> given;
  for (size_t i = 0; i < count; ++i) {
    AVOCET_ASSIGN_OR_RETURN(const std::string key, textOf(keys[i], fmt::format("name of option {}", i)));
    AVOCET_ASSIGN_OR_RETURN(const TextOption *option, findOption(options, key));
    AVOCET_ASSIGN_OR_RETURN(const std::string value, textOf(values[i], fmt::format("value of option {}", key)));
    if (!given.insert(key).second)
      return invalidArgument(fmt::format("option {} is given twice", key));
    AVOCET_RETURN_IF_ERROR(option->set(value));
  }
  return Status::ok();
}

} // namespace avocet::plugin
