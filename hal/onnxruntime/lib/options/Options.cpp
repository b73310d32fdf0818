//===- Options.cpp - What the application asks for --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options/Options.h"

#include "avocet/hal/plugin/Counters.h"
#include "avocet/hal/plugin/Options.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>

namespace avocet::ort {
namespace {

Status setDeadline(Options &options, const std::string &value) {
  uint32_t milliseconds = 0;
  const char *end = value.data() + value.size();
  const auto [after, error] = std::from_chars(value.data(), end, milliseconds);
  if (error != std::errc() || after != end || milliseconds == 0)
    return invalidArgument(
        fmt::format("option deadline_ms is {}, must be a number of milliseconds from 1 on", plugin::shown(value)));
  options.deadline = std::chrono::milliseconds(milliseconds);
  return Status::ok();
}

Status setProfile(Options &options, const std::string &value) {
  if (!value.empty() && !plugin::isProfileJson(value))
    return invalidArgument(
        fmt::format("option profile is {}, must be a file with a name in .json", plugin::shown(value)));
  options.profile = value;
  return Status::ok();
}

} // namespace

Result<Options> parseOptions(const char *const *keys, const char *const *values, size_t count,
                             const plugin::EngineOptions &defaults) {
  Options options;
  std::vector<plugin::TextOption> table = plugin::engineOptions(options.engine);
  table.push_back(plugin::flagOption("allow_fp32", options.allowsFloat32));
  table.push_back({"deadline_ms", [&options](const std::string &value) { return setDeadline(options, value); }});
  table.push_back({"profile", [&options](const std::string &value) { return setProfile(options, value); }});
  AVOCET_RETURN_IF_ERROR(plugin::setOptions(table, keys, values, count));
  if (options.engine.socket.empty()) {
    options.engine.backend = defaults.backend;
    if (options.engine.device.empty())
      options.engine.device = defaults.device;
  }
  if (options.engine.device.empty())
    options.engine.device = plugin::defaultDevice(options.engine);
  return options;
}

static ContextOptions contextOptions(const Runtime &runtime, const abi::KeyValuePairs *entries) {
  const auto valueOf = [&](const char *key) {
    const char *value = runtime.get<abi::GetKeyValue>(entries, key);
    return std::string(value == nullptr ? "" : value);
  };
  return {valueOf("ep.context_enable") == "1", valueOf("ep.context_embed_mode") == "1",
          valueOf("ep.context_file_path")};
}

Result<Options> optionsOf(const Runtime &runtime, const abi::SessionOptions *session,
                          const plugin::EngineOptions &defaults) {
  std::string prefix = fmt::format("ep.{}.", kProviderName);
  std::ranges::transform(prefix, prefix.begin(), [](char letter) { return static_cast<char>(std::tolower(letter)); });
  abi::KeyValuePairs *made = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::GetSessionOptionsConfigEntries>(session, &made));
  const Owned<abi::KeyValuePairs, abi::ReleaseKeyValuePairs> entries(made, {&runtime.api()});
  const char *const *keys = nullptr, *const *values = nullptr;
  size_t count = 0;
  runtime.get<abi::GetKeyValuePairs>(static_cast<const abi::KeyValuePairs *>(made), &keys, &values, &count);
  std::vector<const char *> names, texts;
  for (size_t i = 0; i < count; ++i)
    if (std::string_view(keys[i]).starts_with(prefix)) {
      names.push_back(keys[i] + prefix.size());
      texts.push_back(values[i]);
    }
  AVOCET_ASSIGN_OR_RETURN(Options options, parseOptions(names.data(), texts.data(), names.size(), defaults));
  options.context = contextOptions(runtime, made);
  return options;
}

std::string keyOf(const plugin::EngineOptions &options) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", options.device, options.backend, options.socket,
                     static_cast<int>(options.priority), options.cacheFolder, options.allowsFloat16);
}

} // namespace avocet::ort
