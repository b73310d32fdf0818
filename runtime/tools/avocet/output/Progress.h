//===- Progress.h - The progress line ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Progress of long work, on one line of the standard error stream that is rewritten in place. Shown only on a terminal
// (knob AVOCET_PROGRESS), cut to its width; elsewhere every call does nothing. One thread at a time.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_PROGRESS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace avocet::tool {

class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// "compiling: schedule".
  void stage(std::string_view text);

  /// As stage(), redrawn a few times per second at most.
  void update(std::string_view text);

  /// "classifying: 120 / 500", redrawn a few times per second at most.
  void count(std::string_view text, uint64_t done, uint64_t total);

  /// Removes the line, so that other output starts in column 0.
  void clear();

private:
  void draw(const std::string &line);

  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_PROGRESS_H
