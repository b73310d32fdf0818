//===- Counters.cpp - Counters of a running job -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/Counters.h"

#include <algorithm>
#include <cmath>

namespace avocet::sim {

using namespace firmware;

static uint32_t indexOf(EngineKind kind) { return static_cast<uint32_t>(kind); }

Counters::Entry &Counters::entryOf(uint32_t layer) {
  if (lastIndex_ != SIZE_MAX && layer == lastLayer_)
    return entries_[lastIndex_];
  auto [place, isNew] = indexOf_.try_emplace(layer, entries_.size());
  if (isNew)
    entries_.emplace_back().counters.layer = layer;
  lastLayer_ = layer;
  lastIndex_ = place->second;
  return entries_[lastIndex_];
}

void Counters::addBusy(EngineKind kind, uint32_t layer, uint64_t cycles) {
  if (cycles != 0)
    entryOf(layer).counters.busyCycles[indexOf(kind)] += cycles;
}

void Counters::addStall(EngineKind kind, uint32_t layer, StallCause cause, uint64_t cycles) {
  if (cycles != 0)
    entryOf(layer).counters.stallCycles[indexOf(kind)][static_cast<uint32_t>(cause)] += cycles;
}

void Counters::addTime(Entry &entry, bool isCompute, uint64_t start, uint64_t end) {
  if (entry.hasCompute && !isCompute)
    return;
  LayerCounters &c = entry.counters;
  const bool restarts = !entry.hasTime || (isCompute && !entry.hasCompute);
  c.startCycle = restarts ? start : std::min(c.startCycle, start);
  c.endCycle = restarts ? end : std::max(c.endCycle, end);
  entry.hasTime = true;
  entry.hasCompute |= isCompute;
}

/// Energy of one multiply-accumulate: int8 and float32 are given; types in between cost one int8 unit per pass.
double Counters::operationEnergy(const PreparedCommand &prepared) const {
  const EnergyModel &energy = target_.energy();
  if (prepared.cost.macs == 0)
    return energy.dspOp * static_cast<double>(prepared.cost.dspOperations);
  DataType type = DataType::Int8;
  std::visit(
      [&](const auto &body) {
        if constexpr (requires { body.input.type; })
          type = body.input.type;
      },
      prepared.command.body);
  const double slowdown = std::max(1u, target_.mac().slowdown[static_cast<uint32_t>(type)]);
  const double perMac = type == DataType::Float32 ? energy.macFloat32 : energy.macInt8 * slowdown;
  return perMac * static_cast<double>(prepared.cost.macs) +
         energy.dspOp * static_cast<double>(prepared.cost.dspOperations);
}

void Counters::addTransfer(const DmaCommand &dma, const Traffic &traffic) {
  if (traffic.dramRead != 0)
    regions_[dma.source.region].readBytes += traffic.dramRead;
  if (traffic.dramWrite != 0)
    regions_[dma.destination.region].writeBytes += traffic.dramWrite;
}

void Counters::addCommand(EngineKind kind, const PreparedCommand &prepared, uint64_t start, uint64_t end) {
  Entry &entry = entryOf(prepared.layer);
  LayerCounters &c = entry.counters;
  ++c.commands;
  addTime(entry, kind != EngineKind::Dma, start, end);
  const Traffic &traffic = prepared.traffic;
  c.sramReadBytes += traffic.sramRead;
  c.sramWriteBytes += traffic.sramWrite;
  c.dramReadBytes += traffic.dramRead;
  c.dramWriteBytes += traffic.dramWrite;
  if (const auto *dma = std::get_if<DmaCommand>(&prepared.command.body))
    addTransfer(*dma, traffic);
  c.macs += prepared.cost.macs;
  c.dspOperations += prepared.cost.dspOperations;
  c.energyPicojoules += operationEnergy(prepared) +
                        target_.energy().sramByte * static_cast<double>(traffic.sramRead + traffic.sramWrite) +
                        target_.energy().dramByte * static_cast<double>(traffic.dramRead + traffic.dramWrite);
}

JobCounters Counters::total(uint64_t cycles) const {
  JobCounters total{};
  total.cycles = cycles;
  double energy = target_.energy().idleCycle * static_cast<double>(cycles);
  for (const Entry &entry : entries_) {
    const LayerCounters &c = entry.counters;
    for (uint32_t kind = 0; kind < kNumEngineKinds; ++kind) {
      total.busyCycles[kind] += c.busyCycles[kind];
      for (uint32_t cause = 0; cause < kNumStallCauses; ++cause)
        total.stallCycles[kind][cause] += c.stallCycles[kind][cause];
    }
    total.sramReadBytes += c.sramReadBytes;
    total.sramWriteBytes += c.sramWriteBytes;
    total.dramReadBytes += c.dramReadBytes;
    total.dramWriteBytes += c.dramWriteBytes;
    total.macs += c.macs;
    total.dspOperations += c.dspOperations;
    total.commands += c.commands;
    energy += c.energyPicojoules;
  }
  total.energyPicojoules = static_cast<uint64_t>(std::llround(energy));
  return total;
}

std::vector<RegionTraffic> Counters::byRegion() const {
  std::vector<RegionTraffic> regions;
  regions.reserve(regions_.size());
  for (const auto &[number, traffic] : regions_)
    regions.push_back({number, traffic.readBytes, traffic.writeBytes});
  return regions;
}

std::vector<LayerCounters> Counters::byLayer() const {
  std::vector<LayerCounters> layers;
  layers.reserve(entries_.size());
  for (const Entry &entry : entries_)
    layers.push_back(entry.counters);
  std::sort(layers.begin(), layers.end(), [](const auto &a, const auto &b) { return a.layer < b.layer; });
  return layers;
}

} // namespace avocet::sim
