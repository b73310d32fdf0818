//===- Counters.cpp - What the library has done -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "telemetry/Counters.h"

#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/TraceRequest.h"
#include "avocet/hal/types/LayerTimes.h"
#include "avocet/hal/types/Result.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace avocet::nnapi {

Counters &Counters::instance() {
  static auto *const kOnly = new Counters;
  return *kOnly;
}

std::string Counters::toJson() const {
  nlohmann::ordered_json json;
  json["models"] = models.load();
  json["compilations"] = compilations.load();
  json["operations"] = operations.load();
  json["operationsOnDevice"] = operationsOnDevice.load();
  json["partitions"] = partitions.load();
  json["modelsFromCache"] = modelsFromCache.load();
  json["cpuFallbacks"] = cpuFallbacks.load();
  json["compilerErrors"] = hal::compilerErrors(); // of devices in this process
  json["executions"] = executions.load();
  json["burstExecutions"] = burstExecutions.load();
  json["failedExecutions"] = failedExecutions.load();
  json["copiedBytes"] = copiedBytes.load();
  const hal::LayerTimes times = hal::LayerTimes::sum();
  json["executionNanoseconds"] = times.toNames();
  json["deviceJobs"] = times.jobs;
  return json.dump(2) + "\n";
}

namespace {

pid_t owner = 0;

void write(const std::string &path, const std::string &text) {
  if (auto status = writeFile(path, text); !status.isOk())
    logMessage(LogLevel::Error, "nnapi", "{}", status.message());
}

void writeReports() {
  if (getpid() != owner)
    return;
  if (const std::string path = knobText(knobs::kNnapiCounters); !path.empty())
    write(path, Counters::instance().toJson());
}

bool start() {
  owner = getpid();
  startProcessTrace();
  if (!knobText(knobs::kNnapiCounters).empty())
    hal::LayerTimes::enable();
  return std::atexit(writeReports) == 0;
}

} // namespace

void startProcessReports() {
  static const bool kIsStarted = start();
  (void)kIsStarted;
}

} // namespace avocet::nnapi
