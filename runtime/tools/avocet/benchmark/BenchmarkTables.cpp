//===- BenchmarkTables.cpp - A benchmark as tables of text ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchmarkReport.h"

#include "Requirement.h"
#include "avocet/base/NumberText.h"
#include "output/TextTable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

constexpr size_t kLeastName = 14;
constexpr const char *kNone = "-";

std::string timeTable(const std::vector<NetworkResult> &networks) {
  TextTable table;
  table.addColumn("network", Align::Left).cutTo(kLeastName);
  table.addColumn("device", Align::Left).cutTo(kLeastName);
  table.addColumn("host ms p50", Align::Right);
  table.addColumn("p90", Align::Right).drop(3);
  table.addColumn("p99", Align::Right).drop(6);
  table.addColumn("over CPU", Align::Right);
  table.addColumn("device ms", Align::Right);
  table.addColumn("speed-up", Align::Right);
  table.addColumn("compile ms", Align::Right).drop(7);
  table.addColumn("from cache ms", Align::Right).drop(5);
  table.addColumn("energy", Align::Right).drop(4);
  table.addColumn("SRAM peak", Align::Right).drop(2);
  table.addColumn("off-chip", Align::Right).drop(1);
  for (const NetworkResult &network : networks)
    for (const DeviceResult &device : network.devices) {
      const Distribution host = distributionOf(device.hostMs);
      const auto &simulated = device.simulated;
      table.addRow({network.name, device.name, msText(host.p50), msText(host.p90), msText(host.p99),
                    fmt::format("{:.2f}x", distributionOf(device.hostRatio).p50),
                    device.deviceMs.empty() ? kNone : msText(distributionOf(device.deviceMs).p50),
                    device.speedUp ? fmt::format("{:.2f}x", *device.speedUp) : kNone,
                    msText(distributionOf(device.prepareMs).p50),
                    device.warmStartMs.empty() ? kNone : msText(distributionOf(device.warmStartMs).p50),
                    simulated ? formatEnergy(simulated->energyPicojoules) : kNone,
                    simulated ? formatBytes(simulated->sramPeakBytes) : kNone,
                    simulated ? formatBytes(simulated->offChipBytes) : kNone});
    }
  return table.toString();
}

/// Sums over the outputs as shares of all cases.
double shareOf(const Agreement &agreement, uint64_t (OutputError::*count)() const) {
  uint64_t sum = 0;
  for (const OutputError &output : agreement.outputs)
    sum += (output.*count)();
  return static_cast<double>(sum) / static_cast<double>(agreement.cases * agreement.outputs.size());
}

std::string psnrText(double decibels) { return std::isinf(decibels) ? "exact" : fmt::format("{:.1f}", decibels); }

void addAgreement(TextTable &table, const NetworkResult &network, const DeviceResult &device, std::string_view against,
                  const Agreement &agreement) {
  if (agreement.cases == 0 || agreement.outputs.empty())
    return;
  const double psnr = leastPsnr(agreement);
  table.addRow({network.name, device.name, std::string(against), withCommas(agreement.cases),
                percentText(shareOf(agreement, &OutputError::equalCases)), percentText(leastInside(agreement)),
                fmt::format("{:.3g}", mostError(agreement)), psnrText(psnr),
                fmt::format("{:.6f}", leastCosine(agreement)),
                percentText(shareOf(agreement, &OutputError::sameLargest))});
}

std::string accuracyTable(const std::vector<NetworkResult> &networks) {
  TextTable table;
  table.addColumn("network", Align::Left).cutTo(kLeastName);
  table.addColumn("device", Align::Left).cutTo(kLeastName);
  table.addColumn("against", Align::Left);
  table.addColumn("cases", Align::Right).drop(3);
  table.addColumn("same bits", Align::Right);
  table.addColumn("tolerated", Align::Right);
  table.addColumn("max error", Align::Right);
  table.addColumn("PSNR dB", Align::Right).drop(4);
  table.addColumn("cosine", Align::Right).drop(1);
  table.addColumn("same largest", Align::Right).drop(2);
  for (const NetworkResult &network : networks)
    for (const DeviceResult &device : network.devices) {
      addAgreement(table, network, device, "golden", device.golden);
      addAgreement(table, network, device, "CPU", device.reference);
    }
  return table.numRows() == 0 ? "" : "\n" + table.toString();
}

std::string labelTable(const std::vector<NetworkResult> &networks) {
  TextTable table;
  table.addColumn("network", Align::Left).cutTo(kLeastName);
  table.addColumn("device", Align::Left).cutTo(kLeastName);
  for (auto title : {"labeled", "top-1", "top-5"})
    table.addColumn(title, Align::Right);
  for (const NetworkResult &network : networks)
    for (const DeviceResult &device : network.devices)
      if (device.labels)
        table.addRow({network.name, device.name, withCommas(device.labels->count()), percentText(device.labels->top1()),
                      percentText(device.labels->top5())});
  return table.numRows() == 0 ? "" : "\n" + table.toString();
}

std::string meansText(const std::vector<NetworkResult> &networks) {
  std::string text;
  for (const DeviceMean &mean : deviceMeans(networks)) {
    text += fmt::format("{} over {} network{}, geometric means: host time {:.2f}x of the CPU's", mean.name,
                        mean.networks, mean.networks == 1 ? "" : "s", mean.hostRatio);
    text += mean.speedUp ? fmt::format(", speed-up {:.2f}x\n", *mean.speedUp) : "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

} // namespace

std::string msText(double milliseconds) {
  return fmt::format("{:.{}f}", milliseconds, milliseconds < 1 ? 4 : milliseconds < 100 ? 2 : 0);
}

std::string percentText(double share) {
  constexpr double kMostBelow = 0.9999;
  return fmt::format("{:.2f}%", 100 * (share < 1 ? std::min(share, kMostBelow) : share));
}

std::vector<DeviceMean> deviceMeans(const std::vector<NetworkResult> &networks) {
  std::vector<DeviceMean> means;
  const size_t numDevices = networks.empty() ? 0 : networks.front().devices.size();
  for (size_t i = 1; i < numDevices; ++i) {
    std::vector<double> ratios, speedUps;
    for (const NetworkResult &network : networks) {
      const DeviceResult &device = network.devices[i];
      ratios.push_back(distributionOf(device.hostRatio).p50);
      if (device.speedUp)
        speedUps.push_back(*device.speedUp);
    }
    DeviceMean mean{networks.front().devices[i].name, ratios.size(), geometricMean(ratios), {}};
    if (speedUps.size() == ratios.size())
      mean.speedUp = geometricMean(speedUps);
    means.push_back(std::move(mean));
  }
  return means;
}

std::string benchmarkTables(const BenchmarkReport &report) {
  if (report.networks.empty())
    return "";
  return timeTable(report.networks) + accuracyTable(report.networks) + labelTable(report.networks) +
         meansText(report.networks);
}

} // namespace avocet::tool
