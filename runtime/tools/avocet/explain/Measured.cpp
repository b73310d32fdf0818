//===- Measured.cpp - A network on one target -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measured.h"

#include "ModelSource.h"
#include "avocet/session/Inputs.h"
#include "commands/SemaphoreOrder.h"
#include "trace/CommandTraffic.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace avocet::tool {
namespace {

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

Result<Measured> measure(const ModelChoice &choice, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(choice, DiagnosticsFormat::TextWithoutRefusals, progress));
  AVOCET_ASSIGN_OR_RETURN(session::TimedRun run, session::runProfiled(model, {}));
  Report report = makeReport(model, run.device, run.record);
  return Measured{std::move(model), std::move(report), std::move(run.record.profile)};
}

std::vector<std::pair<WaitCause, uint64_t>> waitsOf(const SourceMap &map, const CommandTimes &times, uint32_t layer) {
  const SemaphoreOrder order(map, &times);
  std::map<WaitCause, uint64_t> cycles;
  map.forEach([&](const CommandPlace &place, const firmware::Command &command) {
    const auto signal = order.signalOf(place);
    if (map.engine(place.stream).kind == firmware::EngineKind::Dma || command.layer != layer || !signal)
      return;
    const auto awaited = order.workBefore(*signal);
    for (size_t run = 0; awaited && run < times.runs().size(); ++run)
      if (const auto range = times.of(place, run))
        cycles[causeOf(map, *awaited)] += range->end - range->start;
  });
  std::vector<std::pair<WaitCause, uint64_t>> sorted(cycles.begin(), cycles.end());
  std::ranges::sort(
      sorted, [](const auto &a, const auto &b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  return sorted;
}

LayerPlan planOf(const SourceMap &map, uint32_t layer) {
  LayerPlan plan{tilesOf(map, map.model().numLayers())[layer], 0, 0};
  map.forEach([&](const CommandPlace &place, const firmware::Command &command) {
    if (command.layer == layer)
      plan.section = map.section(place.stream);
    const auto *dma = std::get_if<firmware::DmaCommand>(&command.body);
    if (!dma || command.layer != layer || dma->kind != firmware::DmaKind::Copy)
      return;
    const bool isLoad = dma->source.region != firmware::kSramRegion;
    if (isLoad && causeOfTransfer(map, *dma, map.source(place).step).kind == WaitCause::Kind::Constants)
      plan.constantBytes += movedBytes(*dma);
  });
  return plan;
}

} // namespace avocet::tool
