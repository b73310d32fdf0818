//===- WhereReport.cpp - Answers of avocet where ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhereReport.h"

#include "LayerNames.h"
#include "SourceText.h"
#include "TextTable.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/firmware_iface/Reflection.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {

using firmware::Command;

Result<WhereReport> WhereReport::open(const LoadedModel &model) {
  AVOCET_ASSIGN_OR_RETURN(SourceMap map, SourceMap::open(model.artefacts.model));
  Result<CommandTimes> times = CommandTimes::measure(model, map);
  if (times)
    return WhereReport(std::move(map), std::move(*times), "");
  if (times.status().code() != StatusCode::Unsupported)
    return times.status();
  return WhereReport(std::move(map), std::nullopt, times.status().message());
}

std::string WhereReport::cyclesOf(const CommandPlace &place) const {
  if (!times_)
    return "";
  const auto range = times_->of(place);
  return range ? fmt::format("{} to {}", withCommas(range->start), withCommas(range->end)) : "none: it did not wait";
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

/// "result of 'conv1'", "constants of layer 3 'conv1'".
std::string WhereReport::contentsOf(size_t entry) const {
  const cache::ModelCache &model = map_.model();
  const cache::MemoryEntryView buffer = model.memoryEntry(entry);
  if (buffer.operation == cache::kNoSource)
    return buffer.region == firmware::kSramRegion ? "a network input" : memoryName(buffer.region);
  return fmt::format("{} of operation {}, {}", roleOf(buffer), buffer.operation, names_.operation(buffer.operation));
}

std::string WhereReport::describeTile(const CommandPlace &place) const {
  const cache::SourceCommand &source = map_.source(place);
  if (source.operation == cache::kNoSource)
    return "";
  const cache::SourceOperationView operation = map_.model().sourceOperation(source.operation);
  std::string text =
      line("operation", fmt::format("{} of {}: makes {} as {} {} x {} x {}", source.operation,
                                    map_.model().numSourceOperations(), names_.operation(source.operation),
                                    toString(operation.type), operation.height, operation.width, operation.channels));
  if (const firmware::FeatureMap *output = firstOutput(map_.command(place).body))
    text += line("tile", boxText(source, *output));
  return text;
}

std::string WhereReport::describeLayer(uint32_t layer) const {
  if (layer == firmware::kNoLayer)
    return "";
  const cache::LayerView view = map_.model().layer(layer);
  std::string text = line("layer", fmt::format("{} {} ({})", layer, names_.layer(layer), view.operation));
  const char *title = "operators";
  for (const cache::SourceEntryView &entry : map_.operators(layer)) {
    text += line(title, operatorText(entry));
    title = "";
  }
  return text;
}

/// The buffers that a command reads and writes.
std::string WhereReport::describeBuffers(const CommandPlace &place) const {
  std::vector<firmware::ByteRange> ranges;
  appendFootprint(map_.command(place).body, ranges);
  const uint32_t step = map_.source(place).step;
  std::vector<std::string> lines;
  for (const firmware::ByteRange &range : ranges)
    for (size_t entry : map_.entriesAt(range.region, range.begin)) {
      const cache::MemoryEntryView buffer = map_.model().memoryEntry(entry);
      if (buffer.firstStep > step || step > buffer.lastStep)
        continue;
      std::string text = line(range.write ? "writes" : "reads",
                              fmt::format("{} {:#x} to {:#x}: {}", memoryName(buffer.region), buffer.address,
                                          buffer.address + buffer.bytes, contentsOf(entry)));
      if (std::ranges::find(lines, text) == lines.end())
        lines.push_back(std::move(text));
    }
  std::string all;
  for (const std::string &each : lines)
    all += each;
  return all;
}

/// Of a wait: the signal that ends it. Of a signal: the waits that it ends.
std::string WhereReport::describeSemaphore(const CommandPlace &place) const {
  std::string text;
  if (const auto signal = order_.signalOf(place)) {
    const auto &wait = std::get<firmware::WaitCommand>(map_.command(place).body);
    text += line("waits for",
                 fmt::format("{}, signal {} of semaphore {}", map_.nameOf(*signal), wait.value, wait.semaphore));
  }
  for (const CommandPlace &waiting : order_.waitsOf(place))
    text += line("awaited by", map_.nameOf(waiting));
  return text;
}

std::string WhereReport::summarise(const CommandPlace &place) const {
  const Command &command = map_.command(place);
  std::string text = line("command", fmt::format("{} of {}: {}", map_.nameOf(place), map_.commands(place.stream).size(),
                                                 nameOf(command.body)));
  if (const std::string cycles = cyclesOf(place); !cycles.empty())
    text += line("cycles", cycles);
  if (const uint32_t step = map_.source(place).step; step != cache::kNoSource)
    text += line("step", fmt::format("{} of the schedule", step));
  return text + describeTile(place) + describeLayer(command.layer) + describeSemaphore(place);
}

std::string WhereReport::describe(const CommandPlace &place) const {
  return summarise(place) + describeBuffers(place) + line("encoded", print(map_.command(place)));
}

Result<std::string> WhereReport::ofCommand(std::string_view name) const {
  AVOCET_ASSIGN_OR_RETURN(CommandPlace place, map_.find(name));
  return describe(place);
}

Result<std::string> WhereReport::ofCycle(uint64_t cycle) const {
  if (!times_)
    return invalidArgument(untimed_);
  if (cycle >= times_->cycles())
    return invalidArgument(fmt::format("the run takes {} cycles, so there is no cycle {}", times_->cycles(), cycle));
  std::string text;
  for (const CommandPlace &place : times_->at(cycle))
    text += (text.empty() ? "" : "\n") + summarise(place);
  return text.empty() ? std::string("no engine runs a command in this cycle: all wait for latencies\n") : text;
}

/// The last command that wrote the byte and had ended at the cycle.
std::optional<CommandPlace> WhereReport::lastWriter(uint32_t region, uint64_t byte, uint64_t cycle) const {
  std::optional<CommandPlace> last;
  uint64_t lastEnd = 0;
  std::vector<firmware::ByteRange> ranges;
  map_.forEach([&](const CommandPlace &place, const Command &command) {
    const auto time = times_->of(place);
    if (!time || time->end > cycle || time->end < lastEnd)
      return;
    ranges.clear();
    appendFootprint(command.body, ranges);
    const bool writes = std::ranges::any_of(ranges, [&](const firmware::ByteRange &range) {
      return range.write && range.region == region && range.begin <= byte && byte < range.end;
    });
    const bool isTile = region == firmware::kSramRegion && map_.isTile(place);
    if (!writes || (isTile && !map_.elementAt(place, byte)))
      return;
    last = place;
    lastEnd = time->end;
  });
  return last;
}

Result<std::string> WhereReport::ofAddress(const std::string &memory, uint64_t byte,
                                           std::optional<uint64_t> cycle) const {
  AVOCET_ASSIGN_OR_RETURN(uint32_t region, regionOf(memory));
  if (cycle && !times_)
    return invalidArgument(untimed_);
  const cache::ModelCache &model = map_.model();
  const uint64_t limit = region == firmware::kSramRegion ? model.sramPeakBytes() : model.region(region - 1).bytes;
  if (byte >= limit)
    return invalidArgument(
        fmt::format("the model uses {} bytes of {}, so there is no byte {:#x}", limit, memory, byte));
  std::string text;
  for (size_t entry : map_.entriesAt(region, byte)) {
    const cache::MemoryEntryView buffer = model.memoryEntry(entry);
    const auto time = steps_ ? steps_->of(buffer.firstStep, buffer.lastStep) : std::nullopt;
    if (cycle && (!time || !time->contains(*cycle)))
      continue;
    text += (text.empty() ? "" : "\n");
    text += line("buffer", fmt::format("{} {:#x} to {:#x}, byte {} of {}", memory, buffer.address,
                                       buffer.address + buffer.bytes, byte - buffer.address, buffer.bytes));
    text += line("holds", contentsOf(entry));
    text += line("steps", fmt::format("{} to {} of the schedule", buffer.firstStep, buffer.lastStep));
    if (time)
      text += line("cycles", fmt::format("{} to {}", withCommas(time->start), withCommas(time->end)));
    if (buffer.operation != cache::kNoSource)
      text += describeLayer(model.sourceOperation(buffer.operation).layer);
  }
  if (const auto writer = cycle ? lastWriter(region, byte, *cycle) : std::nullopt) {
    text += "\nlast written before this cycle by\n" + summarise(*writer);
    if (const auto element =
            map_.isTile(*writer) && region == firmware::kSramRegion ? map_.elementAt(*writer, byte) : std::nullopt)
      text += line("element",
                   fmt::format("row {}, column {}, channel {}", element->row, element->column, element->channel));
  }
  return text.empty() ? fmt::format("nothing is at byte {:#x} of {}{}\n", byte, memory, cycle ? " in this cycle" : "")
                      : text;
}

Result<std::string> WhereReport::ofLayer(const std::string &layer) const {
  const std::vector<uint32_t> layers = findLayers(map_.model(), layer);
  if (layers.empty())
    return invalidArgument(fmt::format("no layer of '{}' has '{}' in its name; 'avocet inspect' lists its {} layers",
                                       map_.modelName(), layer, map_.model().numLayers()));
  std::string text;
  for (uint32_t each : layers) {
    text += (text.empty() ? "" : "\n") + describeLayer(each);
    for (size_t stream = 0; stream < map_.numStreams(); ++stream)
      text += commandsOfLayer(map_, times_ ? &*times_ : nullptr, stream, each);
  }
  return text;
}

} // namespace avocet::tool
