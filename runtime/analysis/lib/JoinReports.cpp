//===- JoinReports.cpp - One report of several networks -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinReports.h"

#include <algorithm>
#include <iterator>

namespace avocet::analysis {
namespace {

void add(firmware::StallCycles &sum, const firmware::StallCycles &part) {
  std::ranges::transform(sum, part, sum.begin(), std::plus());
}

void add(DramTraffic &sum, const DramTraffic &part) {
  sum.weights += part.weights;
  sum.refetchedWeights += part.refetchedWeights;
  sum.spills += part.spills;
  sum.inputs += part.inputs;
  sum.outputs += part.outputs;
}

void add(runtime::Overlap &sum, const runtime::Overlap &part) {
  sum.both += part.both;
  sum.onlyComputing += part.onlyComputing;
  sum.onlyMoving += part.onlyMoving;
  sum.neither += part.neither;
}

void add(firmware::PreemptionCounters &sum, const firmware::PreemptionCounters &part) {
  sum.preemptions += part.preemptions;
  sum.suspendedCycles += part.suspendedCycles;
  sum.liveBytes += part.liveBytes;
  sum.evacuatedBytes += part.evacuatedBytes;
}

void add(std::optional<PowerFigures> &sum, const std::optional<PowerFigures> &part) {
  if (!sum || !part)
    return;
  sum->dynamicPicojoules += part->dynamicPicojoules;
  sum->staticPicojoules += part->staticPicojoules;
}

} // namespace

void add(Figures &sum, const Figures &part) {
  const uint64_t cycles = sum.cycles + part.cycles;
  const auto weighted = [](const Figures &each) { return each.utilization * static_cast<double>(each.cycles); };
  sum.utilization = cycles == 0 ? 0 : (weighted(sum) + weighted(part)) / static_cast<double>(cycles);
  sum.boundBy = part.cycles > sum.cycles ? part.boundBy : sum.boundBy;
  sum.macs += part.macs;
  sum.executedMacs += part.executedMacs;
  sum.cycles = cycles;
  sum.rooflineCycles += part.rooflineCycles;
  sum.computeCycles += part.computeCycles;
  sum.deviceCycles += part.deviceCycles;
  sum.leastDramBytes += part.leastDramBytes;
  sum.arrayBusyCycles += part.arrayBusyCycles;
  sum.dspBusyCycles += part.dspBusyCycles;
  add(sum.stallCycles, part.stallCycles);
  sum.hidden.dsp += part.hidden.dsp;
  sum.hidden.results += part.hidden.results;
  sum.hidden.transfers += part.hidden.transfers;
  sum.sramPeakBytes = std::max(sum.sramPeakBytes, part.sramPeakBytes);
  sum.sramBytes += part.sramBytes;
  sum.dramBytes += part.dramBytes;
  sum.energyPicojoules += part.energyPicojoules;
}

void joinReport(Report &report, Report next) {
  add(report.total, next.total);
  add(report.withoutLayer, next.withoutLayer);
  add(report.dram, next.dram);
  add(report.overlap, next.overlap);
  add(report.preemption, next.preemption);
  add(report.power, next.power);
  report.waitCycles += next.waitCycles;
  report.predictedCycles += next.predictedCycles;
  report.predictedMs += next.predictedMs;
  report.simulatedMs += next.simulatedMs;
  for (size_t i = 0; i < std::min(report.engines.size(), next.engines.size()); ++i) {
    report.engines[i].busyCycles += next.engines[i].busyCycles;
    add(report.engines[i].stallCycles, next.engines[i].stallCycles);
  }
  std::ranges::move(next.layers, std::back_inserter(report.layers));
}

} // namespace avocet::analysis
