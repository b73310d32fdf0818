//===- Counters.cpp - What a plug-in has done -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/plugin/Counters.h"

#include "avocet/base/File.h"
#include "avocet/base/Log.h"
#include "avocet/hal/types/LayerTimes.h"

#include <nlohmann/json.hpp>

namespace avocet::plugin {

void Reasons::add(std::string node, std::string reason) {
  std::lock_guard lock(mutex_);
  list_.emplace_back(std::move(node), std::move(reason));
}

Reasons::List Reasons::list() const {
  std::lock_guard lock(mutex_);
  return list_;
}

std::string profileJson(const Engine &engine, const Counters &counters) {
  const hal::LayerTimes times = hal::LayerTimes::sum();
  nlohmann::ordered_json json;
  json["device"] = engine.deviceName();
  json["nodes"] = counters.nodes.load();
  json["nodesOnDevice"] = counters.nodesOnDevice.load();
  json["partitions"] = counters.partitions.load();
  json["networksPrepared"] = engine.numPrepared();
  json["runs"] = counters.runs.load();
  json["copiedBytes"] = counters.bytesCopied.load();
  json["executionNanoseconds"] = times.toNames();
  json["deviceJobs"] = times.jobs;
  json["reasons"] = nlohmann::ordered_json::array();
  for (const auto &[node, reason] : counters.reasons.list())
    json["reasons"].push_back({{"node", node}, {"reason", reason}});
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void writeProfile(const std::string &file, const std::string &text, const char *name) {
  if (file == "-")
    writeLog(LogLevel::Info, name, text);
  else if (Status status = writeFile(file, text); !status.isOk())
    logMessage(LogLevel::Error, name, "the profile is lost: {}", status.message());
}

} // namespace avocet::plugin
