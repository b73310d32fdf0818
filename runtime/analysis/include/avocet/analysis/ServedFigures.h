//===- ServedFigures.h - Figures that a driver service reports -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_ANALYSIS_INCLUDE_AVOCET_ANALYSIS_SERVEDFIGURES_H
#define AVOCET_RUNTIME_ANALYSIS_INCLUDE_AVOCET_ANALYSIS_SERVEDFIGURES_H

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::analysis {

/// Energy of one run at its clock level.
struct PowerFigures {
  std::string clockLevel;
  uint64_t clockHz = 0;
  double dynamicPicojoules = 0; ///< of operations, bytes and cycles
  double staticPicojoules = 0;
};

/// Distribution of one time over all runs, in milliseconds.
struct Spread {
  double least = 0, median = 0, most = 0;
};

/// `values` must not be empty.
Spread spreadOf(std::vector<double> values);

/// Other clients may use the device at the same time: times differ from run to run.
struct ServedFigures {
  std::string device;
  std::string version; ///< of the driver
  std::string socket;
  std::string way; ///< how requests reached the service: "calls", "burst of message queues", "burst of calls"
  std::string priority;
  std::string preference;
  double deadlineMs = 0; ///< of each run, from its call; 0: none
  double prepareMs = 0;
  Spread deviceMs; ///< on the device, from start to end: device time, including time stopped for other jobs
  Spread driverMs; ///< in the driver
  Spread callMs;   ///< of the call, measured by the caller
};

} // namespace avocet::analysis

#endif // AVOCET_RUNTIME_ANALYSIS_INCLUDE_AVOCET_ANALYSIS_SERVEDFIGURES_H
