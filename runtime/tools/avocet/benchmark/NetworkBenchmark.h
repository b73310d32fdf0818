//===- NetworkBenchmark.h - One network on all devices ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_NETWORKBENCHMARK_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_NETWORKBENCHMARK_H

#include "CaseSet.h"
#include "OutputError.h"
#include "PreparedNetwork.h"
#include "avocet/hal/types/Interfaces.h"
#include "classify/Accuracy.h"
#include "model/ModelSource.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace avocet::tool {

/// Of measured values, all in their own unit.
struct Distribution {
  size_t count = 0;
  double least = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, most = 0;
};

/// Percentiles are measured values: the smallest one that at least that share of the values does not exceed. All zero
/// without values.
Distribution distributionOf(std::vector<double> values);

/// Of positive values; 0 without any.
double geometricMean(const std::vector<double> &values);

/// A device of the HAL. The first of a benchmark is the reference that others are compared with.
struct BenchmarkDevice {
  std::string name;   ///< with the kind of calls, if they are not single ones
  std::string way;    ///< how the calls reach it, for people
  std::string target; ///< that the simulator can run for further figures; empty: none
  std::shared_ptr<hal::IDevice> device;
  CallKind call = CallKind::Single;
  uint32_t preparations = 3; ///< measured ones; 1 for a device whose own cache would answer the second
};

/// Figures of the simulator, from one run of the schedule that the compiler makes for the device's target.
struct SimulatedFigures {
  uint64_t cycles = 0, rooflineCycles = 0, deviceCycles = 0;
  double energyPicojoules = 0;
  uint64_t sramPeakBytes = 0;
  uint64_t offChipBytes = 0;                    ///< moved in one inference
  uint64_t constantBytes = 0, scratchBytes = 0; ///< memory of the device
};

/// Outputs of a device against those of another origin, by output.
struct Agreement {
  std::vector<OutputError> outputs;
  uint64_t cases = 0;
};

struct DeviceResult {
  std::string name, way, version; ///< `version` of the driver
  CallKind call = CallKind::Single;
  std::vector<double> prepareMs, warmStartMs;
  std::vector<double> hostMs;    ///< by round
  std::vector<double> deviceMs;  ///< by round; empty: the device reports none
  std::vector<double> hostRatio; ///< by round: host time over that of the reference in the same round
  Agreement golden;              ///< without cases: no expected outputs
  Agreement reference;           ///< without cases for the reference itself
  std::optional<LabelScore> labels;
  std::optional<SimulatedFigures> simulated;

  /// The median host time of the reference over the median device time of this device.
  std::optional<double> speedUp;
};

struct NetworkResult {
  std::string name, path;
  std::string source; ///< of the cases
  size_t cases = 0;
  std::vector<std::string> outputNames;
  std::vector<std::string> classNames; ///< empty: no labels
  std::vector<DeviceResult> devices;   ///< the reference first
};

struct BenchmarkOptions {
  CaseOptions cases;
  uint32_t runs = 50;
  double seconds = 0; ///< measures for this time instead; 0: `runs` runs
};

/// Runs every case once on each device, and cases again until there are enough runs. The devices alternate, and each
/// round starts with another one, so that a disturbance of the host meets all of them. `file`: of the network. Errors
/// name the device.
Result<NetworkResult> benchmarkNetwork(const std::string &name, const std::string &path, std::span<const uint8_t> file,
                                       const std::vector<BenchmarkDevice> &devices, const BenchmarkOptions &options,
                                       Progress &progress);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_NETWORKBENCHMARK_H
