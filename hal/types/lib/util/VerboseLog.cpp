//===- VerboseLog.cpp - Verbose messages by tag ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/VerboseLog.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"

#include <array>

namespace avocet::hal {

static constexpr std::array<std::string_view, 7> kNames = {"model",   "compilation", "execution", "cpuexe",
                                                           "manager", "driver",      "memory"};
static_assert(kAllVerboseTags == (1U << kNames.size()) - 1);

static VerboseTags tagsOfWord(std::string_view word) {
  if (word == "1" || word == "all")
    return kAllVerboseTags;
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == word)
      return 1U << i;
  return 0;
}

VerboseTags parseVerboseTags(std::string_view text, std::string *unknown) {
  static constexpr std::string_view kSeparators = " ,:";
  VerboseTags tags = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of(kSeparators), text.size());
    std::string_view word = text.substr(0, end);
    VerboseTags found = tagsOfWord(word);
    tags |= found;
    if (found == 0 && !word.empty() && unknown != nullptr)
      *unknown += (unknown->empty() ? "" : " ") + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tags;
}

static VerboseTags tagsOfKnob() {
  std::string unknown;
  VerboseTags tags = parseVerboseTags(knobText(knobs::kVerbose), &unknown);
  if (!unknown.empty())
    logMessage(LogLevel::Warning, "hal", "{} holds '{}', which is no tag", knobs::kVerbose.name, unknown);
  return tags;
}

namespace detail {

constinit std::atomic<VerboseTags> tags = kKnobIsUnread;

/// Several threads may read the knob at the same time; the first value stays, unless setVerboseTags() was called.
bool readKnob(VerboseTag tag) {
  VerboseTags unread = kKnobIsUnread;
  tags.compare_exchange_strong(unread, tagsOfKnob(), std::memory_order_relaxed);
  return isVerbose(tag);
}

} // namespace detail

void setVerboseTags(VerboseTags tags) { detail::tags.store(tags, std::memory_order_relaxed); }

std::string_view toString(VerboseTag tag) { return kNames[static_cast<size_t>(tag)]; }

void writeVerbose(VerboseTag tag, std::string_view text) { writeLog(LogLevel::Info, toString(tag), text); }

} // namespace avocet::hal
