//===- Measurements.cpp - What a run measured, by layer -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measurements.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace avocet::analysis {
namespace {

using firmware::EngineKind;
using firmware::StallCause;

size_t indexOf(EngineKind kind) { return static_cast<size_t>(kind); }
size_t indexOf(StallCause cause) { return static_cast<size_t>(cause); }

double ratio(double part, uint64_t whole) { return whole == 0 ? 0 : part / static_cast<double>(whole); }

using BoundCycles = std::pair<uint64_t, Bound>;

Bound longest(std::span<const BoundCycles> candidates) {
  auto largest = std::ranges::max_element(candidates, {}, &BoundCycles::first);
  return largest->first == 0 ? Bound::None : largest->second;
}

/// Of equal ones the first.
Bound findBound(uint64_t array, uint64_t dsp, uint64_t port, const firmware::StallCycles &stalls) {
  const BoundCycles candidates[] = {{array, Bound::Array},
                                    {dsp, Bound::Dsp},
                                    {port, Bound::Dram},
                                    {stalls[indexOf(StallCause::Semaphore)], Bound::Data},
                                    {stalls[indexOf(StallCause::SramPort)], Bound::Sram},
                                    {stalls[indexOf(StallCause::DramPort)], Bound::Dram},
                                    {stalls[indexOf(StallCause::Latency)], Bound::Latency},
                                    {stalls[indexOf(StallCause::FrontEnd)], Bound::Issue}};
  return longest(candidates);
}

Bound findNetworkBound(const Figures &total, const firmware::JobCounters &counters, const firmware::Target &target) {
  const uint64_t portCycles = target.dram().bandwidth.cyclesFor(counters.dramReadBytes + counters.dramWriteBytes);
  return findBound(counters.busyCycles[indexOf(EngineKind::Mac)], counters.busyCycles[indexOf(EngineKind::Dsp)],
                   portCycles, total.stallCycles);
}

/// An engine's cycles for a layer by what they are: busy, then the causes of stalls without waits.
using EngineParts = std::array<uint64_t, 1 + firmware::kNumStallCauses>;

EngineParts partsOf(const firmware::LayerCounters &counters, EngineKind kind) {
  EngineParts parts{counters.busyCycles[indexOf(kind)]};
  for (size_t cause = 0; cause < firmware::kNumStallCauses; ++cause)
    parts[1 + cause] = cause == indexOf(StallCause::Semaphore) ? 0 : counters.stallCycles[indexOf(kind)][cause];
  return parts;
}

/// The parts of `cycles` of an engine's cycles, in the ratio of all of them.
EngineParts shareOf(uint64_t cycles, const EngineParts &all) {
  const uint64_t sum = std::accumulate(all.begin(), all.end(), uint64_t{0});
  if (sum == cycles)
    return all;
  EngineParts share{};
  if (sum == 0) {
    share[1 + indexOf(StallCause::FrontEnd)] = cycles;
    return share;
  }
  uint64_t before = 0, taken = 0; // rounded sums, so that the parts add up
  for (size_t i = 0; i < all.size(); ++i) {
    before += all[i];
    const auto end = before == sum
                         ? cycles
                         : static_cast<uint64_t>(ratio(static_cast<double>(before), sum) * static_cast<double>(cycles));
    share[i] = end - taken;
    taken = end;
  }
  return share;
}

void addParts(Figures &figures, uint64_t &busy, const EngineParts &parts) {
  busy += parts[0];
  for (size_t cause = 0; cause < firmware::kNumStallCauses; ++cause)
    figures.stallCycles[cause] += parts[1 + cause];
}

void addTime(Figures &figures, const runtime::LayerTime &time, const firmware::LayerCounters &counters) {
  figures.cycles = time.cycles();
  figures.hidden = time.hidden;
  addParts(figures, figures.arrayBusyCycles, shareOf(time.array, partsOf(counters, EngineKind::Mac)));
  addParts(figures, figures.dspBusyCycles, shareOf(time.dsp, partsOf(counters, EngineKind::Dsp)));
  figures.stallCycles[indexOf(StallCause::Semaphore)] += time.wait;
}

void addCounters(Figures &figures, const firmware::LayerCounters &counters, const firmware::Target &target) {
  figures.executedMacs = counters.macs;
  figures.sramBytes = counters.sramReadBytes + counters.sramWriteBytes;
  figures.dramBytes = counters.dramReadBytes + counters.dramWriteBytes;
  figures.energyPicojoules =
      counters.energyPicojoules + target.energy().idleCycle * static_cast<double>(figures.cycles);
}

void judge(LayerReport &layer) {
  Figures &figures = layer.figures;
  const double executed = std::min(1.0, ratio(static_cast<double>(figures.executedMacs), figures.macs));
  layer.idealCycles *= executed;
  figures.utilization = ratio(layer.idealCycles, figures.cycles + figures.hidden.dsp);
  figures.boundBy =
      findBound(figures.arrayBusyCycles, figures.dspBusyCycles + figures.hidden.dsp, 0, figures.stallCycles);
}

/// Adds the parts of a row to the total's. The other figures of the total are known.
void sumUp(Figures &total, const Figures &row) {
  total.arrayBusyCycles += row.arrayBusyCycles;
  total.dspBusyCycles += row.dspBusyCycles;
  for (size_t cause = 0; cause < firmware::kNumStallCauses; ++cause)
    total.stallCycles[cause] += row.stallCycles[cause];
  total.hidden.dsp += row.hidden.dsp;
  total.hidden.results += row.hidden.results;
  total.hidden.transfers += row.hidden.transfers;
}

/// What the total has beyond the layers. Its energy becomes that of all rows, which is not rounded.
void addRest(Report &report) {
  Figures &total = report.total, &rest = report.withoutLayer;
  rest.executedMacs = total.executedMacs;
  rest.sramBytes = total.sramBytes;
  rest.dramBytes = total.dramBytes;
  rest.leastDramBytes = total.leastDramBytes;
  double energy = 0;
  for (const LayerReport &layer : report.layers) {
    rest.executedMacs -= std::min(rest.executedMacs, layer.figures.executedMacs);
    rest.sramBytes -= std::min(rest.sramBytes, layer.figures.sramBytes);
    rest.dramBytes -= std::min(rest.dramBytes, layer.figures.dramBytes);
    rest.leastDramBytes -= std::min(rest.leastDramBytes, layer.figures.leastDramBytes);
    energy += layer.figures.energyPicojoules;
  }
  rest.energyPicojoules = std::max(rest.energyPicojoules, total.energyPicojoules - energy);
  total.energyPicojoules = energy + rest.energyPicojoules;
}

} // namespace

uint64_t LayerReport::omittedCycles() const {
  const uint64_t held = figures.cycles + figures.hidden.total();
  return figures.rooflineCycles > held ? figures.rooflineCycles - held : 0;
}

void addMeasurements(Report &report, const firmware::JobProfile &profile, const firmware::Target &target) {
  const runtime::TimeDivision division = runtime::divideTime(profile, report.layers.size());
  std::vector<firmware::LayerCounters> counters(report.layers.size() + 1);
  for (const firmware::LayerCounters &layer : profile.layers)
    counters[std::min<size_t>(layer.layer, report.layers.size())] = layer;
  double idealCycles = 0;
  for (size_t i = 0; i <= report.layers.size(); ++i) {
    Figures &row = i < report.layers.size() ? report.layers[i].figures : report.withoutLayer;
    addTime(row, division.layers[i], counters[i]);
    addCounters(row, counters[i], target);
    sumUp(report.total, row);
    if (i == report.layers.size())
      break;
    report.layers[i].commands = counters[i].commands;
    judge(report.layers[i]);
    idealCycles += report.layers[i].idealCycles;
  }
  addRest(report);
  report.overlap = division.overlap;
  report.total.utilization = ratio(idealCycles, report.total.cycles);
  report.total.boundBy = findNetworkBound(report.total, profile.record.counters, target);
}

} // namespace avocet::analysis
