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

static uint64_t cyclesOf(const firmware::JobProfile &job) { return job.record.endCycle - job.record.startCycle; }

constexpr size_t kNameLetters = 60;

/// Names of fused operators are long.
static std::string layerTable(const firmware::JobProfile &job, const std::vector<std::string> &names) {
  std::string text = "     cycles           MACs  DRAM bytes  layer\n";
  for (const firmware::LayerCounters &layer : job.layers)
    if (layer.layer < names.size())
      text += fmt::format(" {:10}  {:13}  {:10}  {}\n", layer.endCycle - layer.startCycle, layer.macs,
                          layer.dramReadBytes + layer.dramWriteBytes, names[layer.layer].substr(0, kNameLetters));
  return text;
}

static double milliseconds(hal::Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

uint32_t Profile::addPartition(size_t numNodes) {
  std::lock_guard lock(mutex_);
  partitions_.emplace_back().numNodes = numNodes;
  return static_cast<uint32_t>(partitions_.size() - 1);
}

void Profile::setLayers(uint32_t partition, std::vector<std::string> names) {
  std::lock_guard lock(mutex_);
  partitions_[partition].layers = std::move(names);
}

void Profile::addRun(uint32_t partition, const hal::Timing &timing, const plugin::Engine &engine) {
  std::optional<firmware::JobProfile> job = engine.lastProfile();
  std::lock_guard lock(mutex_);
  Partition &entry = partitions_[partition];
  ++entry.runs;
  entry.onDevice += timing.timeOnDevice.value_or(hal::Duration());
  entry.inDriver += timing.timeInDriver.value_or(hal::Duration());
  entry.last = std::move(job);
}

std::string Profile::table() const {
  std::lock_guard lock(mutex_);
  std::string text = " partition  nodes   runs  device ms  driver ms  cycles of the last run\n";
  for (size_t i = 0; i < partitions_.size(); ++i) {
    const Partition &entry = partitions_[i];
    const auto runs = static_cast<double>(entry.runs == 0 ? 1 : entry.runs);
    text += fmt::format(" {:9}  {:5}  {:5}  {:9.3f}  {:9.3f}  {}\n", i, entry.numNodes, entry.runs,
                        milliseconds(entry.onDevice) / runs, milliseconds(entry.inDriver) / runs,
                        entry.last ? std::to_string(cyclesOf(*entry.last)) : "unknown");
    text += entry.last ? layerTable(*entry.last, entry.layers) : "";
  }
  return text;
}

} // namespace avocet::delegate
