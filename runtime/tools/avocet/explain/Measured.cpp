//===- Measured.cpp - A network on one target -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measured.h"

#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Output.h"
#include "sources/SourceText.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace avocet::tool {
namespace {

/// The signals of each semaphore, in the order in which it counts them.
using Signals = std::map<uint32_t, std::vector<CommandPlace>>;

Signals signalsOf(const SourceMap &map) {
  Signals signals;
  for (size_t stream = 0; stream < map.numStreams(); ++stream)
    for (uint32_t i = 0; i < map.commands(stream).size(); ++i)
      if (const auto *signal = std::get_if<firmware::SignalCommand>(&map.commands(stream)[i].body))
        signals[signal->semaphore].push_back({stream, i});
  return signals;
}

/// The last command before a signal that computes or moves data.
std::optional<CommandPlace> workBefore(const SourceMap &map, CommandPlace signal) {
  for (uint32_t i = signal.command; i-- > 0;) {
    const firmware::CommandBody &body = map.commands(signal.stream)[i].body;
    if (firstOutput(body) || std::holds_alternative<firmware::DmaCommand>(body))
      return CommandPlace{signal.stream, i};
  }
  return std::nullopt;
}

/// The layer whose data are at the end of a transfer outside SRAM in a step of the schedule.
uint32_t layerAt(const SourceMap &map, const firmware::DmaEnd &end, uint32_t step) {
  for (size_t entry : map.entriesAt(end.region, end.offset)) {
    const cache::MemoryEntryView buffer = map.model().memoryEntry(entry);
    if (buffer.operation != cache::kNoSource && buffer.firstStep <= step && step <= buffer.lastStep)
      return map.model().sourceOperation(buffer.operation).layer;
  }
  return firmware::kNoLayer;
}

WaitCause causeOfTransfer(const SourceMap &map, const firmware::DmaCommand &dma, uint32_t step) {
  if (dma.kind == firmware::DmaKind::Fill)
    return {WaitCause::Kind::Result, firmware::kNoLayer};
  if (dma.source.region == firmware::kSramRegion)
    return {WaitCause::Kind::Store, layerAt(map, dma.destination, step)};
  switch (map.model().region(dma.source.region - 1).kind) {
  case cache::RegionKind::Constants:
    return {WaitCause::Kind::Constants, layerAt(map, dma.source, step)};
  case cache::RegionKind::Input:
    return {WaitCause::Kind::Input, firmware::kNoLayer};
  default:
    return {WaitCause::Kind::Reload, layerAt(map, dma.source, step)};
  }
}

WaitCause causeOf(const SourceMap &map, const CommandPlace &awaited) {
  const firmware::Command &command = map.command(awaited);
  if (const auto *dma = std::get_if<firmware::DmaCommand>(&command.body))
    return causeOfTransfer(map, *dma, map.source(awaited).step);
  return {WaitCause::Kind::Result, command.layer};
}

} // namespace

Result<Report> reportOf(const LoadedModel &model) {
  SessionOptions options;
  options.backend = "sim";
  options.functional = false;
  options.profile = true;
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(model, options));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, session->run());
  return makeReport(model, session->device(), record);
}

Result<Measured> measure(const ModelChoice &choice, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(choice, DiagnosticsFormat::Text, progress));
  AVOCET_ASSIGN_OR_RETURN(Report report, reportOf(model));
  return Measured{std::move(model), std::move(report)};
}

std::vector<std::pair<WaitCause, uint64_t>> waitsOf(const SourceMap &map, const CommandTimes &times, uint32_t layer) {
  const Signals signals = signalsOf(map);
  std::map<WaitCause, uint64_t> cycles;
  for (size_t stream = 0; stream < map.numStreams(); ++stream) {
    if (map.engine(stream).kind == firmware::EngineKind::Dma)
      continue;
    for (uint32_t i = 0; i < map.commands(stream).size(); ++i) {
      const firmware::Command &command = map.commands(stream)[i];
      const auto *wait = std::get_if<firmware::WaitCommand>(&command.body);
      const auto range = times.of({stream, i});
      if (!wait || !range || command.layer != layer || wait->value == 0)
        continue;
      const auto known = signals.find(wait->semaphore);
      if (known == signals.end() || wait->value > known->second.size())
        continue;
      if (const auto awaited = workBefore(map, known->second[wait->value - 1]))
        cycles[causeOf(map, *awaited)] += range->end - range->start;
    }
  }
  std::vector<std::pair<WaitCause, uint64_t>> sorted(cycles.begin(), cycles.end());
  std::ranges::sort(
      sorted, [](const auto &a, const auto &b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  return sorted;
}

LayerPlan planOf(const SourceMap &map, uint32_t layer) {
  LayerPlan plan;
  for (size_t stream = 0; stream < map.numStreams(); ++stream)
    for (uint32_t i = 0; i < map.commands(stream).size(); ++i) {
      const firmware::Command &command = map.commands(stream)[i];
      if (command.layer != layer)
        continue;
      if (const auto *dma = std::get_if<firmware::DmaCommand>(&command.body)) {
        const bool isLoad = dma->kind == firmware::DmaKind::Copy && dma->source.region != firmware::kSramRegion;
        if (isLoad && causeOfTransfer(map, *dma, map.source({stream, i}).step).kind == WaitCause::Kind::Constants)
          plan.constantBytes += uint64_t{dma->runBytes} * dma->count0 * dma->count1 * dma->count2;
      }
      const firmware::FeatureMap *tile = firstOutput(command.body);
      if (!tile)
        continue;
      ++plan.tiles;
      if (uint64_t{tile->height} * tile->width * tile->channels > uint64_t{plan.rows} * plan.columns * plan.channels)
        std::tie(plan.rows, plan.columns, plan.channels) = std::tie(tile->height, tile->width, tile->channels);
    }
  return plan;
}

} // namespace avocet::tool
