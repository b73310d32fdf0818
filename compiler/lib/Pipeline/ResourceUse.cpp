//===- ResourceUse.cpp - Time and memory of a phase -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResourceUse.h"

#include <fstream>
#include <string>

namespace avocet::compiler {
namespace {

/// From /proc, because getrusage() also counts the process image before exec. 0 without /proc.
uint64_t peakMemoryBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

} // namespace

PhaseCost ResourceUse::finish(std::string_view phase) const {
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start_;
  return {std::string(phase), time.count(), peakMemoryBytes()};
}

} // namespace avocet::compiler
