//===- Profile.cpp - Where the time of a delegate goes - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/Profile.h"

#include <chrono>
#include <fmt/core.h>

namespace avocet::delegate {

static double milliseconds(hal::Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

uint32_t Profile::addPartition(size_t numNodes) {
  std::lock_guard lock(mutex_);
  partitions_.push_back({.numNodes = numNodes});
  return static_cast<uint32_t>(partitions_.size() - 1);
}

void Profile::addRun(uint32_t partition, const hal::Timing &timing, const Engine &engine) {
  const std::optional<firmware::JobProfile> job = engine.lastProfile();
  std::lock_guard lock(mutex_);
  Partition &entry = partitions_[partition];
  ++entry.runs;
  entry.onDevice += timing.timeOnDevice.value_or(hal::Duration());
  entry.inDriver += timing.timeInDriver.value_or(hal::Duration());
  if (job)
    entry.cycles = job->record.endCycle - job->record.startCycle;
}

std::string Profile::table() const {
  std::lock_guard lock(mutex_);
  std::string text = " partition  nodes   runs  device ms  driver ms  cycles of the last run\n";
  for (size_t i = 0; i < partitions_.size(); ++i) {
    const Partition &entry = partitions_[i];
    const auto runs = static_cast<double>(entry.runs == 0 ? 1 : entry.runs);
    text += fmt::format(" {:9}  {:5}  {:5}  {:9.3f}  {:9.3f}  {}\n", i, entry.numNodes, entry.runs,
                        milliseconds(entry.onDevice) / runs, milliseconds(entry.inDriver) / runs,
                        entry.cycles == 0 ? "unknown" : std::to_string(entry.cycles));
  }
  return text;
}

} // namespace avocet::delegate
