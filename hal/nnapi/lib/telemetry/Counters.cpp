//===- Counters.cpp -------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "telemetry/Counters.h"

#include "avocet/hal/types/CompilerErrors.h"
#include "avocet/hal/types/LayerTimes.h"

#include <nlohmann/json.hpp>

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

} // namespace avocet::nnapi
