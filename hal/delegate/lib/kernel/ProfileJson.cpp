//===- ProfileJson.cpp - The profile for programs -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/ProfileJson.h"

#include "avocet/hal/types/LayerTimes.h"

#include <nlohmann/json.hpp>

namespace avocet::delegate {

std::string profileJson(const Shared &shared) {
  const Counters &counters = shared.counters;
  const hal::LayerTimes times = hal::LayerTimes::sum();
  nlohmann::ordered_json json;
  json["device"] = shared.engine->deviceName();
  json["nodes"] = counters.nodes.load();
  json["nodesOnDevice"] = counters.nodesOnDevice.load();
  json["partitions"] = counters.partitions.load();
  json["networksPrepared"] = shared.engine->numPrepared();
  json["runs"] = counters.runs.load();
  json["copiedBytes"] = counters.bytesCopied.load();
  json["executionNanoseconds"] = times.toNames();
  json["deviceJobs"] = times.jobs;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace avocet::delegate
