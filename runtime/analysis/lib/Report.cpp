//===- Report.cpp - The figures of one run ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/Report.h"

#include "JoinReports.h"
#include "Measurements.h"
#include "avocet/analysis/CommandStreams.h"
#include "avocet/session/DividedNetwork.h"

#include <algorithm>
#include <map>
#include <span>

namespace avocet::analysis {
namespace {

/// Different bytes of a region that the streams access.
uint64_t distinctBytes(const cache::ModelCache &model, uint32_t region) {
  std::vector<firmware::ByteRange> ranges;
  CommandStreams(model).forEach([&](const CommandPlace &, const firmware::Command &command) {
    if (std::holds_alternative<firmware::DmaCommand>(command.body)) // the others work on chip
      appendRanges(command.body, region, ranges);
  });
  return unionBytes(ranges);
}

void addRegion(const cache::ModelCache &model, const firmware::RegionTraffic &traffic, DramTraffic &parts) {
  const uint64_t bytes = traffic.readBytes + traffic.writeBytes;
  switch (model.region(traffic.region - 1).kind) {
  case cache::RegionKind::Input:
    parts.inputs += bytes;
    return;
  case cache::RegionKind::Output:
    parts.outputs += bytes;
    return;
  case cache::RegionKind::Constants: {
    const uint64_t once = std::min(bytes, distinctBytes(model, traffic.region));
    parts.weights += once;
    parts.refetchedWeights += bytes - once;
    return;
  }
  case cache::RegionKind::Scratch:
    parts.spills += bytes;
    return;
  }
}

} // namespace

DramTraffic dramTraffic(const cache::ModelCache &model, const firmware::JobProfile &profile) {
  DramTraffic parts;
  for (const firmware::RegionTraffic &traffic : profile.regions)
    if (traffic.region != firmware::kSramRegion && traffic.region <= model.numRegions())
      addRegion(model, traffic, parts);
  return parts;
}

void appendRanges(const firmware::CommandBody &command, uint32_t region, std::vector<firmware::ByteRange> &ranges) {
  const size_t first = ranges.size();
  firmware::appendFootprint(command, ranges);
  auto isElsewhere = [region](const firmware::ByteRange &range) { return range.region != region; };
  ranges.erase(std::remove_if(ranges.begin() + static_cast<ptrdiff_t>(first), ranges.end(), isElsewhere), ranges.end());
}

uint64_t unionBytes(std::vector<firmware::ByteRange> &ranges) {
  std::ranges::sort(ranges, {}, &firmware::ByteRange::begin);
  uint64_t bytes = 0, covered = 0;
  for (const firmware::ByteRange &range : ranges) {
    const uint64_t begin = std::max(range.begin, covered);
    if (range.end > begin)
      bytes += range.end - begin;
    covered = std::max(covered, range.end);
  }
  return bytes;
}

namespace {

using firmware::EngineKind;

size_t indexOf(EngineKind kind) { return static_cast<size_t>(kind); }

double ratio(double part, uint64_t whole) { return whole == 0 ? 0 : part / static_cast<double>(whole); }

std::vector<LayerReport> describeLayers(const cache::ModelCache &model, const firmware::Target &target) {
  std::vector<CommandFacts> facts = examineCommands(model);
  std::vector<LayerReport> layers;
  for (size_t i = 0; i < model.numLayers(); ++i) {
    cache::LayerView view = model.layer(i);
    LayerReport layer{std::string(view.name), std::string(view.operation), view.engine, 0, {}};
    layer.group = view.group;
    layer.figures.macs = view.macs;
    layer.figures.rooflineCycles = view.rooflineCycles;
    layer.figures.computeCycles = view.computeCycles;
    layer.figures.deviceCycles = std::max(view.deviceCycles, view.rooflineCycles);
    layer.figures.leastDramBytes = view.weightBytes;
    layer.figures.sramPeakBytes = facts[i].sramBytes;
    layer.idealCycles = ratio(static_cast<double>(view.macs), target.macsPerCycle(facts[i].arrayType));
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Most bytes of SRAM that are live at one time. Not the highest address in use: the compiler prefetches constants to
/// high addresses. Buffers that share bytes (a sum in the place of its addend) count once.
uint64_t mostLiveSramBytes(const cache::ModelCache &model) {
  std::multimap<uint32_t, cache::MemoryEntryView> starts, ends; // by first and by last step
  for (size_t i = 0; i < model.numMemoryEntries(); ++i)
    if (const cache::MemoryEntryView entry = model.memoryEntry(i); entry.region == firmware::kSramRegion)
      starts.emplace(entry.firstStep, entry);
  uint64_t live = 0, most = 0; // `live` counts shared bytes several times
  for (auto start = starts.begin(); start != starts.end();) {
    const uint32_t step = start->first;
    for (; start != starts.end() && start->first == step; ++start) {
      ends.emplace(start->second.lastStep, start->second);
      live += start->second.bytes;
    }
    for (; ends.begin()->first < step; ends.erase(ends.begin()))
      live -= ends.begin()->second.bytes;
    if (live <= most)
      continue;
    std::vector<firmware::ByteRange> ranges;
    for (const auto &[last, entry] : ends)
      ranges.push_back({firmware::kSramRegion, entry.address, entry.address + entry.bytes});
    most = std::max(most, unionBytes(ranges));
  }
  return most;
}

Figures totalFigures(const session::LoadedModel &model, const firmware::JobCounters &counters) {
  const cache::ModelCache &cache = *model.artefacts.model;
  Figures total;
  for (size_t i = 0; i < cache.numLayers(); ++i) {
    const cache::LayerView layer = cache.layer(i);
    total.macs += layer.macs;
    total.computeCycles += layer.computeCycles;
  }
  total.leastDramBytes = cache.leastDramBytes();
  total.executedMacs = counters.macs;
  total.cycles = counters.cycles;
  total.rooflineCycles = cache.rooflineCycles();
  total.deviceCycles = std::max(cache.deviceCycles(), total.rooflineCycles);
  total.sramPeakBytes = mostLiveSramBytes(cache);
  total.sramBytes = counters.sramReadBytes + counters.sramWriteBytes;
  total.dramBytes = counters.dramReadBytes + counters.dramWriteBytes;
  total.energyPicojoules = static_cast<double>(counters.energyPicojoules);
  return total;
}

std::vector<EngineReport> describeEngines(const firmware::JobCounters &counters, const firmware::Target &target) {
  std::vector<EngineReport> engines;
  for (EngineKind kind : {EngineKind::Mac, EngineKind::Dsp, EngineKind::Dma}) {
    EngineReport engine{kind, counters.busyCycles[indexOf(kind)], {}};
    std::ranges::copy(counters.stallCycles[indexOf(kind)], engine.stallCycles.begin());
    engine.units = kind == EngineKind::Dma ? target.dma().channels : 1;
    engines.push_back(engine);
  }
  return engines;
}

} // namespace

std::string_view toString(Bound bound) {
  constexpr std::array<std::string_view, 8> kNames = {"none", "array", "dsp",     "data",
                                                      "sram", "dram",  "latency", "issue"};
  return kNames[static_cast<size_t>(bound)];
}

std::vector<CommandFacts> examineCommands(const cache::ModelCache &model) {
  std::vector<CommandFacts> facts(model.numLayers());
  std::vector<std::vector<firmware::ByteRange>> ranges(model.numLayers());
  CommandStreams(model).forEach([&](const CommandPlace &, const firmware::Command &command) {
    if (command.layer >= ranges.size())
      return;
    appendRanges(command.body, firmware::kSramRegion, ranges[command.layer]);
    if (const auto *conv = std::get_if<firmware::ConvCommand>(&command.body))
      facts[command.layer].arrayType = conv->input.type;
  });
  for (size_t i = 0; i < facts.size(); ++i)
    facts[i].sramBytes = unionBytes(ranges[i]);
  return facts;
}

static PowerFigures powerOf(const firmware::Target &target, const firmware::JobCounters &counters, uint32_t level) {
  const firmware::JobEnergy energy = jobEnergy(target, counters, level);
  return {target.power().levels[level].name, levelHz(target, level), energy.dynamicPicojoules, energy.staticPicojoules};
}

static Report reportOfPart(const session::LoadedModel &model, const runtime::DeviceProperties &device,
                           const session::RunRecord &record) {
  Report report;
  report.model = model.name;
  report.target = model.target->name();
  report.backend = device.backend;
  report.clockHz = model.target->clockHz();
  report.sramTargetBytes = model.target->sram().bytes;
  report.measured = device.measures;
  report.computed = device.computes;
  report.total = totalFigures(model, record.outcome.counters);
  report.predictedCycles = model.artefacts.model->predictedCycles();
  report.predictedMs = model.target->nanoseconds(report.predictedCycles) / 1e6;
  report.simulatedMs = model.target->nanoseconds(record.outcome.counters.cycles) / 1e6;
  report.hostCompileMs = model.compileMs;
  report.hostRunMs = record.hostMs;
  report.runs = 1;
  report.layers = describeLayers(*model.artefacts.model, *model.target);
  report.engines = describeEngines(record.outcome.counters, *model.target);
  report.preemption = record.profile.preemption;
  report.waitCycles = record.profile.waitCycles();
  if (device.measures) {
    report.dram = dramTraffic(*model.artefacts.model, record.profile);
    if (device.hasClockLevels)
      report.power = powerOf(*model.target, record.outcome.counters, model.target->power().defaultLevel);
    addMeasurements(report, record.profile, *model.target);
  }
  return report;
}

static HostReport hostReport(const session::DividedStep &step, const session::DividedNetwork &network, double ms) {
  const std::string name = step.outputs.empty() ? "" : network.values[step.outputs.front()].tensor.name;
  return {step.kind, name, std::string(session::toString(step.place)), step.reason, step.number, ms};
}

/// The networks of the device together, and the operators of the host.
static Report reportOfDivided(const session::LoadedModel &model, const runtime::DeviceProperties &device,
                              const session::RunRecord &record) {
  const session::DividedNetwork &network = *model.divided;
  std::optional<Report> joined;
  std::vector<HostReport> host;
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const session::RunRecord step = i < record.steps.size() ? record.steps[i] : session::RunRecord();
    if (network.steps[i].place != session::StepPlace::Device) {
      host.push_back(hostReport(network.steps[i], network, step.hostMs));
      continue;
    }
    Report part = reportOfPart(network.steps[i].model, device, step);
    if (joined)
      joinReport(*joined, std::move(part));
    else
      joined = std::move(part);
  }
  Report report = joined ? std::move(*joined) : reportOfPart(model, device, record);
  report.host = std::move(host);
  return report;
}

Report makeReport(const session::LoadedModel &model, const runtime::DeviceProperties &device,
                  const session::RunRecord &record) {
  if (!model.divided)
    return reportOfPart(model, device, record);
  Report report = reportOfDivided(model, device, record);
  report.model = model.name;
  report.hostCompileMs = model.compileMs;
  report.hostRunMs = record.hostMs;
  return report;
}

} // namespace avocet::analysis
