//===- Progress.cpp - The progress line -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "TextTable.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/base/Terminal.h"

#include <fmt/core.h>
#include <unistd.h>

namespace avocet::tool {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{100};
constexpr std::string_view kEraseLine = "\r\x1b[2K";

} // namespace

Progress::Progress() : enabled_(knobSwitch(knobs::kProgress, ::isatty(STDERR_FILENO) != 0)) {}

void Progress::stage(std::string_view text) {
  if (enabled_)
    draw(fmt::format("{} ...", text));
}

void Progress::update(std::string_view text) {
  if (enabled_ && std::chrono::steady_clock::now() - last_ >= kRedrawInterval)
    draw(fmt::format("{} ...", text));
}

void Progress::count(std::string_view text, uint64_t done, uint64_t total) {
  if (!enabled_ || std::chrono::steady_clock::now() - last_ < kRedrawInterval)
    return;
  draw(fmt::format("{}: {} / {}", text, done, total));
}

void Progress::clear() {
  if (drawn_)
    writeStandardError(kEraseLine);
  drawn_ = false;
}

void Progress::draw(const std::string &line) {
  // A line that wraps cannot be erased.
  writeStandardError(fmt::format("{}{}", kEraseLine, cutTo(cleanLine(line), outputColumns(STDERR_FILENO) - 1)));
  drawn_ = true;
  last_ = std::chrono::steady_clock::now();
}

} // namespace avocet::tool
