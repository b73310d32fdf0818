//===- CommandTimes.cpp - When each command runs ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/CommandTimes.h"

#include "avocet/session/Inputs.h"
#include "avocet/session/Session.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::analysis {

void extend(std::optional<CycleRange> &range, const std::optional<CycleRange> &other) {
  if (range && other)
    range = {std::min(range->start, other->start), std::max(range->end, other->end)};
  else if (other)
    range = other;
}

CommandTimes CommandTimes::from(const CommandStreams &streams, const firmware::JobProfile &profile) {
  CommandTimes times;
  times.cycles_ = profile.record.counters.cycles;
  for (const firmware::SectionSpan &run : profile.sections)
    times.runs_.push_back({run.section, {run.startCycle, run.endCycle}});
  if (times.runs_.empty())
    times.runs_.push_back({0, {0, times.cycles_}});
  for (size_t stream = 0; stream < streams.numStreams(); ++stream) {
    const auto first = std::ranges::find(times.runs_, streams.section(stream), &SectionRun::section);
    times.firstRunOf_.push_back(static_cast<size_t>(first - times.runs_.begin()));
  }
  for (const SectionRun &run : times.runs_) {
    std::vector<StreamRanges> &ranges = times.ranges_.emplace_back(streams.numStreams());
    for (size_t stream = 0; stream < streams.numStreams(); ++stream)
      if (streams.section(stream) == run.section)
        ranges[stream].resize(streams.commands(stream).size());
  }
  for (const firmware::CommandSpan &span : profile.spans)
    if (const auto place = streams.placeOf(span, profile); place && span.run < times.runs_.size())
      times.ranges_[span.run][place->stream][place->command] = {span.startCycle, span.endCycle};
  return times;
}

Result<CommandTimes> CommandTimes::measure(const session::LoadedModel &model, const CommandStreams &streams) {
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runProfiled(model, {}));
  return from(streams, run.record.profile);
}

std::vector<size_t> CommandTimes::runsOf(uint32_t section) const {
  std::vector<size_t> found;
  for (size_t run = 0; run < runs_.size(); ++run)
    if (runs_[run].section == section)
      found.push_back(run);
  return found;
}

std::optional<size_t> CommandTimes::runAt(uint64_t cycle) const {
  for (size_t run = 0; run < runs_.size(); ++run)
    if (runs_[run].range.contains(cycle))
      return run;
  return std::nullopt;
}

std::optional<CycleRange> CommandTimes::of(const CommandPlace &place, size_t run) const {
  const StreamRanges &ranges = ranges_[run][place.stream];
  return place.command < ranges.size() ? ranges[place.command] : std::nullopt;
}

std::optional<CycleRange> CommandTimes::of(const CommandPlace &place) const {
  const size_t first = firstRunOf_[place.stream];
  return first < runs_.size() ? of(place, first) : std::nullopt;
}

std::vector<CommandPlace> CommandTimes::at(uint64_t cycle) const {
  std::vector<CommandPlace> found;
  const auto run = runAt(cycle);
  for (size_t stream = 0; run && stream < ranges_[*run].size(); ++stream)
    for (uint32_t command = 0; command < ranges_[*run][stream].size(); ++command)
      if (const auto &range = ranges_[*run][stream][command]; range && range->contains(cycle))
        found.push_back({stream, command});
  return found;
}

namespace {

void keepLarger(LayerTiles &tiles, const firmware::FeatureMap &map) {
  const auto elements = [](uint64_t rows, uint64_t columns, uint64_t channels) { return rows * columns * channels; };
  if (elements(map.height, map.width, map.channels) <= elements(tiles.rows, tiles.columns, tiles.channels))
    return;
  tiles.rows = map.height;
  tiles.columns = map.width;
  tiles.channels = map.channels;
}

/// Nothing for commands that compute nothing.
void addCommand(LayerTiles &tiles, const firmware::CommandBody &body) {
  std::visit(
      [&](const auto &command) {
        constexpr bool kHasOne = requires { command.output; };
        constexpr bool kHasMany = requires { command.outputs; };
        if constexpr (kHasOne)
          keepLarger(tiles, command.output);
        if constexpr (kHasMany)
          for (const firmware::FeatureMap &output : command.outputs)
            keepLarger(tiles, output);
        tiles.count += kHasOne || kHasMany;
      },
      body);
}

} // namespace

std::vector<LayerTiles> tilesOf(const CommandStreams &streams, size_t numLayers) {
  std::vector<LayerTiles> layers(numLayers);
  streams.forEach([&](const CommandPlace &, const firmware::Command &command) {
    if (command.layer < layers.size())
      addCommand(layers[command.layer], command.body);
  });
  return layers;
}

} // namespace avocet::analysis
