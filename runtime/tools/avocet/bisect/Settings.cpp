//===- Settings.cpp - Settings of a compilation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/ParseNumber.h"
#include "model/Optimization.h"

#include <fmt/format.h>

#include <sstream>

namespace avocet::tool {
namespace {

constexpr const char *kFormerOptimizeSetting = "optimise"; // goes with the next minor version
constexpr uint64_t kMostThreads = 1024;
constexpr const char *kDefaultThreads = "4"; // the same on every computer

Status wrong(std::string_view option, std::string_view word, const std::set<std::string> &transforms) {
  return invalidArgument(
      fmt::format("{} '{}': must be one of target=NAME, optimize=LEVEL, threads=N, compiler=FILE, and "
                  "TRANSFORM=on or off, where TRANSFORM is one of {}",
                  option, word, fmt::join(transforms, ", ")));
}

/// The value that a setting has when nothing sets it.
std::string defaultOf(const std::string &name) {
  if (name == kTargetSetting)
    return knobText(knobs::kTarget);
  if (name == kOptimizeSetting)
    return std::to_string(compiler::kDefaultOptimize);
  if (name == kThreadsSetting)
    return kDefaultThreads;
  return name == kCompilerSetting ? knobText(knobs::kCompilerLibrary) : kOn;
}

} // namespace

Result<Settings> parseSettings(std::string_view option, std::string_view text,
                               const std::set<std::string> &transforms) {
  Settings settings;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string given = word.substr(0, equals), name = given == kFormerOptimizeSetting ? kOptimizeSetting : given,
                      value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool isPlain =
        name == kTargetSetting || name == kOptimizeSetting || name == kThreadsSetting || name == kCompilerSetting;
    const bool isTransform = transforms.contains(name) && (value == kOn || value == kOff);
    if (value.empty() || (!isPlain && !isTransform))
      return wrong(option, word, transforms);
    settings[name] = value;
  }
  return settings;
}

Settings joined(Settings settings, const Settings &more) {
  for (const auto &[name, value] : more)
    settings[name] = value;
  return settings;
}

std::string valueIn(const Settings &settings, const std::string &name) {
  const auto found = settings.find(name);
  return found == settings.end() ? defaultOf(name) : found->second;
}

std::vector<std::string> differingSettings(const Settings &left, const Settings &right) {
  std::vector<std::string> names;
  for (const auto &[name, value] : joined(left, right))
    if (valueIn(left, name) != valueIn(right, name))
      names.push_back(name);
  return names;
}

std::string textOf(const Settings &settings) {
  std::string text;
  for (const auto &[name, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "defaults" : text;
}

Status applySettings(compiler::CompileRequest &request, const Settings &settings) {
  request.target = valueIn(settings, kTargetSetting);
  const std::string text = valueIn(settings, kThreadsSetting);
  const auto threads = parseUnsigned(text, 1, kMostThreads);
  if (!threads)
    return invalidArgument(fmt::format("threads={}: must be a number from 1 to {}", text, kMostThreads));
  request.threads = static_cast<uint32_t>(*threads);
  return setOptimization(request, valueIn(settings, kOptimizeSetting));
}

} // namespace avocet::tool
