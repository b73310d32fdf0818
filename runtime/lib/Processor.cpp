//===- Processor.cpp - The host's processor as a device -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Processor.h"

#include "avocet/base/Knobs.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <thread>

namespace avocet::runtime {

uint32_t processorThreads() {
  constexpr uint32_t kMost = 4;
  const std::string text = knobText(knobs::kCpuThreads);
  uint32_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMost);
  std::from_chars(text.data(), text.data() + text.size(), threads); // unchanged for "auto"
  return threads;
}

} // namespace avocet::runtime
