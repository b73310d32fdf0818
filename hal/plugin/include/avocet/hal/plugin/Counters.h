//===- Counters.h - What a plug-in has done ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_COUNTERS_H
#define AVOCET_HAL_PLUGIN_COUNTERS_H

#include "avocet/hal/plugin/Engine.h"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace avocet::plugin {

/// Why nodes stay with the framework. Thread-safe.
class Reasons {
public:
  using List = std::vector<std::pair<std::string, std::string>>; ///< nodes by the names of messages, with the reasons
  void add(std::string node, std::string reason);
  List list() const;

private:
  mutable std::mutex mutex_;
  List list_;
};

/// Work since the plug-in, or its part for a session, was made. Each number by itself is exact.
struct Counters {
  std::atomic<uint64_t> nodes = 0; ///< that the framework showed
  std::atomic<uint64_t> nodesOnDevice = 0;
  std::atomic<uint64_t> partitions = 0;
  std::atomic<uint64_t> runs = 0;        ///< of partitions, successful ones
  std::atomic<uint64_t> bytesCopied = 0; ///< between the framework's memory and memory of the device
  Reasons reasons = {};
};

/// Whether a file for a profile gets profileJson().
inline bool isProfileJson(const std::string &file) { return file.ends_with(".json"); }

/// One JSON object: the counters, and the times of executions in the process (avocet/hal/types/LayerTimes.h).
std::string profileJson(const Engine &engine, const Counters &counters);

/// Writes a profile when a plug-in ends; an error goes to the log, where messages begin with `name`.
void writeProfile(const std::string &file, const std::string &text, const char *name);

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_COUNTERS_H
