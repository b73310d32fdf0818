//===- OpenDescriptors.cpp - Descriptors that a script leaves open *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenDescriptors.h"

#include "Require.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace avocet::fuzz {
namespace {

using namespace std::chrono_literals;

/// Longer than all time-outs that can keep descriptors of a script open, and below libFuzzer's own time-out.
constexpr auto kPatience = 8s;

size_t countDescriptors() {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<size_t>(std::distance(Iterator("/proc/self/fd"), Iterator()));
}

/// Waits up to 500 ms for at most `usual` descriptors: threads that end close theirs a little later.
size_t settledCount(size_t usual) {
  const auto end = std::chrono::steady_clock::now() + 500ms;
  size_t now = countDescriptors();
  for (; now > usual && std::chrono::steady_clock::now() < end; now = countDescriptors())
    std::this_thread::sleep_for(1ms);
  return now;
}

} // namespace

void OpenDescriptors::requireNoLeak(const std::function<void()> &run) {
  constexpr int kRuns = 4;
  size_t now = usual_;
  for (int i = 0; i < kRuns; ++i) {
    run();
    now = settledCount(usual_);
    if (now <= usual_)
      return;
    usual_ = now;
  }
  require(false, "an input opens descriptors each time: " + std::to_string(now) + " are open now");
}

void requireNothingLeft(const std::function<std::string()> &leftOver) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string left = leftOver();
  for (auto pause = 20us; !left.empty() && std::chrono::steady_clock::now() < end;
       pause = std::min(2 * pause, 2000us)) {
    std::this_thread::sleep_for(pause);
    left = leftOver();
  }
  require(left.empty(), "an input left open: " + left);
}

} // namespace avocet::fuzz
