//===- WhereReport.cpp - Answers of avocet where ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhereReport.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {

using firmware::Command;

Result<WhereReport> WhereReport::open(const LoadedModel &model) {
  AVOCET_ASSIGN_OR_RETURN(analysis::SourceMap map, analysis::SourceMap::open(model.artefacts.model));
  AVOCET_ASSIGN_OR_RETURN(analysis::CommandTimes times, analysis::CommandTimes::measure(model, map));
  return WhereReport(std::move(map), std::move(times));
}

std::string WhereReport::memoryName(uint32_t region) const {
  if (region == firmware::kSramRegion)
    return "sram";
  const cache::Region bound = map_.model().region(region - 1);
  const bool isOne = bound.kind == cache::RegionKind::Constants || bound.kind == cache::RegionKind::Scratch;
  return isOne ? std::string(toString(bound.kind)) : fmt::format("{}{}", toString(bound.kind), bound.index);
}

Result<uint32_t> WhereReport::regionOf(const std::string &memory) const {
  std::string known;
  for (uint32_t region = firmware::kSramRegion; region <= map_.model().numRegions(); ++region) {
    const std::string name = memoryName(region);
    if (name == memory)
      return region;
    known += (known.empty() ? "" : ", ") + name;
  }
  return invalidArgument(fmt::format("'{}' is no memory of the model; it has {}", memory, known));
}

std::optional<analysis::CycleRange> WhereReport::timeOf(size_t entry, std::optional<size_t> run) const {
  const cache::MemoryEntryView buffer = map_.model().memoryEntry(entry);
  return run ? analysis::StepTimes(map_, times_, run).of(buffer.firstStep, buffer.lastStep)
             : firstRuns_.of(buffer.firstStep, buffer.lastStep);
}

std::vector<BufferUse> WhereReport::buffersOf(const analysis::CommandPlace &place) const {
  std::vector<firmware::ByteRange> ranges;
  appendFootprint(map_.command(place).body, ranges);
  const uint32_t step = map_.source(place).step;
  std::vector<BufferUse> uses;
  for (const firmware::ByteRange &range : ranges)
    for (size_t entry : map_.entriesAt(range.region, range.begin)) {
      const cache::MemoryEntryView buffer = map_.model().memoryEntry(entry);
      const BufferUse use{entry, range.write};
      if (buffer.firstStep <= step && step <= buffer.lastStep && std::ranges::find(uses, use) == uses.end())
        uses.push_back(use);
    }
  return uses;
}

std::optional<LayerCommands> WhereReport::commandsOf(size_t stream, uint32_t layer) const {
  LayerCommands found;
  for (uint32_t i = 0; i < map_.commands(stream).size(); ++i) {
    if (map_.commands(stream)[i].layer != layer)
      continue;
    found.first = found.count++ == 0 ? i : found.first;
    found.last = i;
  }
  return found.count == 0 ? std::nullopt : std::optional(found);
}

std::optional<analysis::CycleRange> WhereReport::rangeOf(size_t stream, uint32_t layer, size_t run) const {
  std::optional<analysis::CycleRange> range;
  for (uint32_t i = 0; i < map_.commands(stream).size(); ++i)
    if (map_.commands(stream)[i].layer == layer)
      extend(range, times_.of({stream, i}, run));
  return range;
}

Result<WhereAnswer> WhereReport::ofCommand(std::string_view name) const {
  AVOCET_ASSIGN_OR_RETURN(analysis::CommandPlace place, map_.find(name));
  WhereAnswer answer;
  answer.commands.push_back(place);
  return answer;
}

Status WhereReport::requireCycle(uint64_t cycle) const {
  if (cycle < times_.cycles())
    return Status::ok();
  return invalidArgument(fmt::format("the run takes {} cycles, so there is no cycle {}", times_.cycles(), cycle));
}

Result<WhereAnswer> WhereReport::ofCycle(uint64_t cycle) const {
  AVOCET_RETURN_IF_ERROR(requireCycle(cycle));
  WhereAnswer answer;
  answer.run = times_.runAt(cycle);
  answer.commands = times_.at(cycle);
  if (!answer.run)
    answer.nothing = "no section runs in this cycle, only the control program of the network";
  else if (answer.commands.empty())
    answer.nothing = "no engine runs a command in this cycle: all wait for latencies";
  return answer;
}

bool WhereReport::writes(const analysis::CommandPlace &place, const AskedByte &asked) const {
  std::vector<firmware::ByteRange> ranges;
  appendFootprint(map_.command(place).body, ranges);
  const bool covers = std::ranges::any_of(ranges, [&](const firmware::ByteRange &range) {
    return range.write && range.region == asked.region && range.begin <= asked.byte && asked.byte < range.end;
  });
  const bool isTile = asked.region == firmware::kSramRegion && map_.isTile(place);
  return covers && (!isTile || map_.elementAt(place, asked.byte));
}

std::optional<analysis::CommandPlace> WhereReport::lastWriter(const AskedByte &asked) const {
  std::optional<analysis::CommandPlace> last;
  uint64_t lastEnd = 0;
  for (size_t run = 0; run < times_.runs().size(); ++run)
    map_.forEach([&](const analysis::CommandPlace &place, const Command &) {
      const auto time = times_.of(place, run);
      if (!time || time->end > *asked.cycle || time->end < lastEnd || !writes(place, asked))
        return;
      last = place;
      lastEnd = time->end;
    });
  return last;
}

Result<WhereAnswer> WhereReport::ofAddress(const std::string &memory, uint64_t byte,
                                           std::optional<uint64_t> cycle) const {
  AVOCET_ASSIGN_OR_RETURN(uint32_t region, regionOf(memory));
  const cache::ModelCache &model = map_.model();
  const uint64_t limit = region == firmware::kSramRegion ? model.sramPeakBytes() : model.region(region - 1).bytes;
  if (byte >= limit)
    return invalidArgument(
        fmt::format("the model uses {} bytes of {}, so there is no byte {:#x}", limit, memory, byte));
  WhereAnswer answer;
  answer.asked = AskedByte{region, byte, cycle};
  answer.run = cycle ? times_.runAt(*cycle) : std::nullopt;
  std::optional<analysis::StepTimes> steps;
  if (answer.run)
    steps.emplace(map_, times_, answer.run);
  for (size_t entry : map_.entriesAt(region, byte)) {
    const cache::MemoryEntryView buffer = model.memoryEntry(entry);
    const auto time = steps ? steps->of(buffer.firstStep, buffer.lastStep) : std::nullopt;
    if (!cycle || (time && time->contains(*cycle)))
      answer.buffers.push_back(entry);
  }
  if (cycle)
    answer.writer = lastWriter(*answer.asked);
  if (answer.writer && region == firmware::kSramRegion && map_.isTile(*answer.writer))
    answer.element = map_.elementAt(*answer.writer, byte);
  if (answer.buffers.empty() && !answer.writer)
    answer.nothing = fmt::format("nothing is at byte {:#x} of {}{}", byte, memory, cycle ? " in this cycle" : "");
  return answer;
}

Result<WhereAnswer> WhereReport::ofLayer(const std::string &layer) const {
  WhereAnswer answer;
  answer.layers = cache::findLayers(map_.model(), layer);
  if (answer.layers.empty())
    return invalidArgument(fmt::format("no layer of '{}' has '{}' in its name; 'avocet inspect' lists its {} layers",
                                       map_.modelName(), layer, map_.model().numLayers()));
  return answer;
}

} // namespace avocet::tool
