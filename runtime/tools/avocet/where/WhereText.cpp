//===- WhereText.cpp - Answers of avocet where, as text ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhereText.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/NumberText.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/firmware_iface/Reflection.h"
#include "output/TextTable.h"
#include "where/SourceText.h"

#include <fmt/format.h>
#include <functional>

namespace avocet::tool {
namespace {

std::string rangeText(const analysis::CycleRange &range) {
  return fmt::format("{} to {}", withCommas(range.start), withCommas(range.end));
}

class Writer {
public:
  Writer(const WhereReport &report, const WhereAnswer &answer)
      : report_(report), map_(report.map()), answer_(answer), names_(report.map()) {}

  std::string write(CommandDetail detail) const {
    std::string text;
    if (!answer_.nothing.empty())
      return answer_.nothing + "\n";
    for (const analysis::CommandPlace &place : answer_.commands)
      text += separator(text) + command(place, detail);
    for (size_t entry : answer_.buffers)
      text += separator(text) + buffer(entry);
    if (answer_.writer)
      text += "\nlast written before this cycle by\n" + lastWriter();
    for (uint32_t each : answer_.layers)
      text += separator(text) + layer(each) + layerCommands(each);
    return text;
  }

private:
  static std::string separator(const std::string &text) { return text.empty() ? "" : "\n"; }

  /// Cycles in the run that the answer is about, or else in the first one of a section, and which run that is.
  std::string cyclesIn(uint32_t section,
                       const std::function<std::optional<analysis::CycleRange>(size_t)> &rangeIn) const {
    const std::vector<size_t> runs = report_.times().runsOf(section);
    if (runs.empty())
      return fmt::format("none: section {} did not run", section);
    const bool isOfAnswer = answer_.run && report_.times().runs()[*answer_.run].section == section;
    const size_t run = isOfAnswer ? *answer_.run : runs.front();
    const auto range = rangeIn(run);
    const std::string which = runText(map_, report_.times(), run);
    return (range ? rangeText(*range) : "none: it did not wait") + (which.empty() ? "" : ", in " + which);
  }

  std::string cyclesOf(const analysis::CommandPlace &place) const {
    return cyclesIn(map_.section(place.stream), [&](size_t run) { return report_.times().of(place, run); });
  }

  /// "result of operation 3, 'conv1'".
  std::string contentsOf(const cache::MemoryEntryView &entry) const {
    if (entry.operation == cache::kNoSource)
      return entry.region == firmware::kSramRegion ? "a network input" : report_.memoryName(entry.region);
    return fmt::format("{} of operation {}, {}", analysis::roleOf(entry), entry.operation,
                       names_.operation(entry.operation));
  }

  std::string tile(const analysis::CommandPlace &place) const {
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

  std::string layer(uint32_t layer) const {
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

  std::string layerCommands(uint32_t layer) const {
    std::string text;
    for (size_t stream = 0; stream < map_.numStreams(); ++stream)
      if (const auto commands = report_.commandsOf(stream, layer)) {
        const std::string cycles =
            cyclesIn(map_.section(stream), [&](size_t run) { return report_.rangeOf(stream, layer, run); });
        text += line("commands",
                     fmt::format("{} of {}, {} to {}, {}cycles {}", commands->count, map_.commands(stream).size(),
                                 map_.nameOf({stream, commands->first}), map_.nameOf({stream, commands->last}),
                                 cycles.starts_with("none") ? "" : "in ", cycles));
      }
    return text;
  }

  std::string buffersOf(const analysis::CommandPlace &place) const {
    std::string text;
    for (const BufferUse &use : report_.buffersOf(place)) {
      const cache::MemoryEntryView buffer = map_.model().memoryEntry(use.entry);
      text += line(use.isWrite ? "writes" : "reads",
                   fmt::format("{} {:#x} to {:#x}: {}", report_.memoryName(buffer.region), buffer.address,
                               buffer.address + buffer.bytes, contentsOf(buffer)));
    }
    return text;
  }

  /// Of a wait: the signal that ends it. Of a signal: the waits that it ends.
  std::string semaphore(const analysis::CommandPlace &place) const {
    std::string text;
    if (const auto signal = report_.order().signalOf(place)) {
      const auto &wait = std::get<firmware::WaitCommand>(map_.command(place).body);
      text += line("waits for",
                   fmt::format("{}, signal {} of semaphore {}", map_.nameOf(*signal), wait.value, wait.semaphore));
    }
    for (const analysis::CommandPlace &waiting : report_.order().waitsOf(place))
      text += line("awaited by", map_.nameOf(waiting));
    return text;
  }

  std::string command(const analysis::CommandPlace &place, CommandDetail detail) const {
    const firmware::Command &command = map_.command(place);
    std::string text = line("command", fmt::format("{} of {}: {}", map_.nameOf(place),
                                                   map_.commands(place.stream).size(), nameOf(command.body)));
    text += line("cycles", cyclesOf(place));
    if (const uint32_t step = map_.source(place).step; step != cache::kNoSource)
      text += line("step", fmt::format("{} of the schedule", step));
    text += tile(place) + layer(command.layer) + semaphore(place);
    return detail == CommandDetail::Summary ? text : text + buffersOf(place) + line("encoded", print(command));
  }

  std::string buffer(size_t entry) const {
    const cache::MemoryEntryView buffer = map_.model().memoryEntry(entry);
    std::string text = line("buffer", fmt::format("{} {:#x} to {:#x}, byte {} of {}", report_.memoryName(buffer.region),
                                                  buffer.address, buffer.address + buffer.bytes,
                                                  answer_.asked->byte - buffer.address, buffer.bytes));
    text += line("holds", contentsOf(buffer));
    text += line("steps", fmt::format("{} to {} of the schedule", buffer.firstStep, buffer.lastStep));
    if (const auto time = report_.timeOf(entry, answer_.run)) {
      const std::string which = answer_.run ? runText(map_, report_.times(), *answer_.run) : "";
      text += line("cycles", rangeText(*time) + (which.empty() ? "" : ", in " + which));
    }
    if (buffer.operation != cache::kNoSource)
      text += layer(map_.model().sourceOperation(buffer.operation).layer);
    return text;
  }

  std::string lastWriter() const {
    std::string text = command(*answer_.writer, CommandDetail::Summary);
    if (answer_.element)
      text += line("element", fmt::format("row {}, column {}, channel {}", answer_.element->row,
                                          answer_.element->column, answer_.element->channel));
    return text;
  }

  const WhereReport &report_;
  const analysis::SourceMap &map_;
  const WhereAnswer &answer_;
  const SourceNames names_;
};

} // namespace

std::string whereText(const WhereReport &report, const WhereAnswer &answer, CommandDetail detail) {
  return Writer(report, answer).write(detail);
}

} // namespace avocet::tool
