//===- Measured.cpp - A network on one target -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/Measured.h"

#include "avocet/analysis/CommandTraffic.h"
#include "avocet/analysis/SemaphoreOrder.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/base/File.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/firmware_iface/TargetEdit.h"
#include "avocet/network/ModelSource.h"
#include "avocet/session/Inputs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace avocet::documents {
namespace {

/// The layer whose data are at the end of a transfer outside SRAM in a step of the schedule.
uint32_t layerAt(const analysis::SourceMap &map, const firmware::DmaEnd &end, uint32_t step) {
  for (size_t entry : map.entriesAt(end.region, end.offset)) {
    const cache::MemoryEntryView buffer = map.model().memoryEntry(entry);
    if (buffer.operation != cache::kNoSource && buffer.firstStep <= step && step <= buffer.lastStep)
      return map.model().sourceOperation(buffer.operation).layer;
  }
  return firmware::kNoLayer;
}

WaitCause causeOfTransfer(const analysis::SourceMap &map, const firmware::DmaCommand &dma, uint32_t step) {
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

WaitCause causeOf(const analysis::SourceMap &map, const analysis::CommandPlace &awaited) {
  const firmware::Command &command = map.command(awaited);
  if (const auto *dma = std::get_if<firmware::DmaCommand>(&command.body))
    return causeOfTransfer(map, *dma, map.source(awaited).step);
  return {WaitCause::Kind::Result, command.layer};
}

} // namespace

Result<Measured> measure(const network::ModelChoice &choice, network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(session::LoadedModel model, loadModel(choice, observer));
  AVOCET_ASSIGN_OR_RETURN(session::TimedRun run, session::runProfiled(model, {}));
  analysis::Report report = analysis::makeReport(model, run.device, run.record);
  return Measured{std::move(model), std::move(report), std::move(run.record.profile)};
}

std::vector<std::pair<WaitCause, uint64_t>> waitsOf(const analysis::SourceMap &map, const analysis::CommandTimes &times,
                                                    uint32_t layer) {
  const analysis::SemaphoreOrder order(map, &times);
  std::map<WaitCause, uint64_t> cycles;
  map.forEach([&](const analysis::CommandPlace &place, const firmware::Command &command) {
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

LayerPlan planOf(const analysis::SourceMap &map, uint32_t layer) {
  LayerPlan plan{analysis::tilesOf(map, map.model().numLayers())[layer], 0, 0};
  map.forEach([&](const analysis::CommandPlace &place, const firmware::Command &command) {
    if (command.layer == layer)
      plan.section = map.section(place.stream);
    const auto *dma = std::get_if<firmware::DmaCommand>(&command.body);
    if (!dma || command.layer != layer || dma->kind != firmware::DmaKind::Copy)
      return;
    const bool isLoad = dma->source.region != firmware::kSramRegion;
    if (isLoad && causeOfTransfer(map, *dma, map.source(place).step).kind == WaitCause::Kind::Constants)
      plan.constantBytes += analysis::movedBytes(*dma);
  });
  return plan;
}

namespace {

using firmware::TargetChange;

struct Change {
  WhatIf::Figure figure;
  std::string text;
  std::vector<TargetChange> figures;
};

std::vector<Change> fixedChanges(const firmware::Target &target) {
  const auto text = [](uint64_t number) { return std::to_string(number); };
  const firmware::Rate bandwidth = target.dram().bandwidth;
  using Figure = WhatIf::Figure;
  return {{Figure::Bandwidth,
           "twice the off-chip bandwidth",
           {{"dram.bandwidth", fmt::format("{}/{}", 2 * bandwidth.count, bandwidth.cycles)}}},
          {Figure::Latency,
           "half of the off-chip latency",
           {{"dram.readLatencyCycles", text(target.dram().readLatencyCycles / 2)},
            {"dram.writeLatencyCycles", text(target.dram().writeLatencyCycles / 2)}}},
          {Figure::Channels, "twice the DMA channels", {{"dma.channels", text(2 * uint64_t{target.dma().channels})}}},
          {Figure::SramPort,
           "twice the SRAM port",
           {{"sram.portBytesPerCycle", text(2 * target.sram().portBytesPerCycle)}}}};
}

/// Targets are files in a folder, as the compiler and the runtime load them by name.
class Trial {
public:
  Trial(const network::ModelChoice &choice, const Measured &base, std::string layer, ScratchDirectory folder)
      : choice_(choice), base_(base), layer_(std::move(layer)), folder_(std::move(folder)) {}

  /// None: the rules of targets or the network refuse it.
  std::optional<WhatIf> run(const Change &change, network::Observer &observer) {
    const auto text = changedTargetText(*base_.model.target, change.figures, "changed", change.text);
    const std::string path = fmt::format("{}/target{}.toml", folder_.path(), ++count_);
    if (!text || !writeFile(path, std::string_view(*text)).isOk() || !firmware::Target::load(path))
      return std::nullopt;
    network::ModelChoice choice = choice_;
    choice.target = path;
    const Result<Measured> measured = measure(choice, observer);
    if (!measured)
      return std::nullopt;
    WhatIf result{change.figure, change.text, measured->report.total.cycles, 0};
    for (const analysis::LayerReport &each : measured->report.layers)
      if (each.name == layer_)
        result.layerCycles = each.figures.cycles;
    return result;
  }

private:
  const network::ModelChoice &choice_;
  const Measured &base_;
  const std::string layer_;
  const ScratchDirectory folder_;
  int count_ = 0;
};

} // namespace

Result<std::vector<WhatIf>> tryChanges(const network::ModelChoice &choice, const Measured &base,
                                       const std::string &layer, network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory folder, ScratchDirectory::make());
  Trial trial(choice, base, layer, std::move(folder));
  std::vector<WhatIf> results;
  for (const Change &change : fixedChanges(*base.model.target))
    if (auto result = trial.run(change, observer))
      results.push_back(std::move(*result));
  uint64_t best = base.report.total.cycles;
  for (uint64_t numerator : {3, 4, 6, 8, 16, 32}) { // halves of the SRAM that there is
    const uint64_t bytes = base.model.target->sram().bytes * numerator / 2;
    auto result =
        trial.run({WhatIf::Figure::SramBytes, formatBytes(bytes) + " of SRAM", {{"sram.bytes", std::to_string(bytes)}}},
                  observer);
    if (!result)
      continue;
    const bool helps = result->cycles * 100 < best * 99;
    best = std::min(best, result->cycles);
    results.push_back(std::move(*result));
    if (!helps && numerator > 3)
      break;
  }
  observer.clear();
  return results;
}

} // namespace avocet::documents
