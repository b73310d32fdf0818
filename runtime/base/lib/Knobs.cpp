//===- Knobs.cpp - Every environment knob, in one place ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Knobs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>

namespace avocet {
namespace {

/// Empty if the environment does not have the knob, or may not have it: users of a program with more rights than they
/// have must not choose its libraries and files.
std::string valueOf(const Knob &knob) {
  const char *value = ::secure_getenv(std::string(knob.name).c_str());
  return value == nullptr ? "" : value;
}

/// Removes the text up to the next separator from `text`.
std::string_view takeWord(std::string_view &text, std::string_view separators) {
  const size_t end = std::min(text.find_first_of(separators), text.size());
  std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool isWord(std::string_view words, std::string_view text) {
  while (!words.empty())
    if (takeWord(words, " ") == text)
      return true;
  return false;
}

/// The first word of the value that is not accepted; empty: all are.
std::string_view refusedWord(const Knob &knob, std::string_view value) {
  if (knob.kind == KnobKind::Text || value.empty())
    return "";
  if (knob.kind == KnobKind::Word)
    return isWord(knob.words, value) ? "" : value;
  while (!value.empty()) {
    std::string_view word = takeWord(value, " ,:");
    if (!word.empty() && !isWord(knob.words, word))
      return word;
  }
  return "";
}

/// "auto on off" as "auto, on, off".
std::string listed(std::string_view words) {
  std::string list;
  while (!words.empty())
    list += (list.empty() ? "" : ", ") + std::string(takeWord(words, " "));
  return list;
}

} // namespace

std::span<const Knob> allKnobs() {
  static constexpr std::array kAll = {knobs::kLog,
                                      knobs::kTarget,
                                      knobs::kBackend,
                                      knobs::kBackends,
                                      knobs::kCompilerLibrary,
                                      knobs::kReproducers,
                                      knobs::kProgress,
                                      knobs::kColor,
                                      knobs::kSocket,
                                      knobs::kClients,
                                      knobs::kNnapiDevices,
                                      knobs::kNnapiRecords,
                                      knobs::kNnapiDumps,
                                      knobs::kNnapiCounters,
                                      knobs::kCpuThreads,
                                      knobs::kTrace,
                                      knobs::kVerbose,
                                      knobs::kNnCpuOnly,
                                      knobs::kNnPartition,
                                      knobs::kNnSyncExecCpu,
                                      knobs::kNnSyncExecRuntime,
                                      knobs::kNnEnabledDevices};
  return kAll;
}

std::vector<std::string> unknownKnobs() {
  std::vector<std::string> names;
  for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("AVOCET_") && std::ranges::find(allKnobs(), name, &Knob::name) == allKnobs().end())
      names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string knobText(const Knob &knob) {
  const std::string value = valueOf(knob);
  const bool isUsable = !value.empty() && (knob.kind != KnobKind::Word || isWord(knob.words, value));
  return isUsable ? value : std::string(knob.defaultValue);
}

bool knobSwitch(const Knob &knob, bool automatic) {
  std::string value = knobText(knob);
  return value == "on" || (value != "off" && automatic);
}

Status checkKnob(const Knob &knob) {
  const std::string value = valueOf(knob);
  const std::string_view refused = refusedWord(knob, value);
  if (refused.empty())
    return Status::ok();
  return invalidArgument(fmt::format("the environment variable {} holds '{}'; it accepts {}: {}", knob.name, refused,
                                     knob.kind == KnobKind::Word ? "one of" : "a list of", listed(knob.words)));
}

Status checkKnobs() {
  for (const Knob &knob : allKnobs())
    AVOCET_RETURN_IF_ERROR(checkKnob(knob));
  return Status::ok();
}

} // namespace avocet
