//===- ThroughFigures.h - Where the time of an application goes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_THROUGHFIGURES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_THROUGHFIGURES_H

#include "avocet/analysis/ServedFigures.h"
#include "run/RunPlace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avocet::tool {

/// Milliseconds of one run, the mean of all runs, by the host's clock. The parts add up to `total`.
struct TimeSplit {
  double total = 0;       ///< of the application's call
  double application = 0; ///< what the others leave
  double library = 0;
  std::optional<double> service; ///< its process and the messages; nothing: there is none
  double driver = 0;
  double device = 0; ///< from the submission of a job to its end
  double cpu = 0;    ///< the CPU as a device, nnapi-reference
  double other = 0;  ///< negative: parts that were measured exceed the total
};

/// What libraries and service counted in all runs, in nanoseconds.
struct CountedTimes {
  double library = 0, ipc = 0, driver = 0, device = 0, cpu = 0;
};

/// `totalMs`: of one run. `served`: the service's own sums of driver and device; nothing: there is no service, or its
/// figures cannot be read, so that `service` includes driver and device.
TimeSplit splitTime(double totalMs, uint32_t runs, const CountedTimes &counted, bool hasService,
                    const std::optional<CountedTimes> &served);

struct ThroughFigures {
  std::string model;
  Through through = Through::None;
  std::string device;
  std::string socket; ///< empty: the device is in the application's process
  uint32_t runs = 0;
  double prepareMs = 0; ///< from the model's file to allocated tensors
  double firstMs = 0;   ///< the first run
  analysis::Spread invokeMs;
  TimeSplit time;
  std::optional<double> simulatedMs; ///< of one run, by the device's clock; nothing: unknown
  uint64_t operators = 0;            ///< of the network's first subgraph, as the framework divides it
  uint64_t ownOperators = 0;         ///< of these, those that the framework itself computes
  uint64_t partitions = 0;           ///< that it gives to the library
  uint64_t operations = 0;           ///< that reached the library: of NNAPI, or the nodes that the plug-in saw
  uint64_t operationsOnDevice = 0;
  uint64_t steps = 0;        ///< of NNAPI: parts of these partitions, each on one of its devices
  uint64_t cpuFallbacks = 0; ///< work that moved to the CPU after a failure
  uint64_t copiedBytes = 0;  ///< by the library, in all runs
  std::vector<std::pair<std::string, std::string>> reasons; ///< nodes that stay with the framework, and why
  std::vector<std::string> notes;
};

std::string throughTable(const ThroughFigures &figures);
std::string throughJson(const ThroughFigures &figures);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_THROUGHFIGURES_H
