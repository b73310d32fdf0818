//===- BenchmarkReport.h - A benchmark as tables, JSON and a page -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_BENCHMARKREPORT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_BENCHMARKREPORT_H

#include "NetworkBenchmark.h"

#include <string>
#include <vector>

namespace avocet::tool {

struct BenchmarkReport {
  std::vector<NetworkResult> networks;
  std::vector<std::string> problems; ///< of networks without a result
  std::vector<std::string> broken;   ///< requirements
};

/// Of one device over all networks.
struct DeviceMean {
  std::string name;
  size_t networks = 0;
  double hostRatio = 0;          ///< geometric mean of the median ratios
  std::optional<double> speedUp; ///< the same; nothing: the device reports no times
};

/// In the order of the devices, without the reference.
std::vector<DeviceMean> deviceMeans(const std::vector<NetworkResult> &networks);

/// Two tables, of times and of accuracy, and the means.
std::string benchmarkTables(const BenchmarkReport &report);

/// As schemas/benchmark.schema.json.
std::string benchmarkJson(const BenchmarkReport &report);

/// One file without references to others and without scripts.
std::string benchmarkPage(const BenchmarkReport &report);

/// The times of all devices as a picture (SVG in a figure), each device a row: how often a run took how long.
std::string latencyPicture(const NetworkResult &network);

/// For each device: the share of right answers by class, and the confusion matrix. Empty without labels.
std::string labelPictures(const NetworkResult &network);

/// "0.123", with as many digits as a time in milliseconds has a use for.
std::string msText(double milliseconds);
/// "97.80%"; less than 100 never reads "100.00%".
std::string percentText(double share);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_BENCHMARKREPORT_H
