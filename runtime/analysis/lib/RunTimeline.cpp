//===- RunTimeline.cpp - The commands of a run in time ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/RunTimeline.h"

#include "avocet/analysis/CommandTraffic.h"
#include "avocet/analysis/SemaphoreOrder.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace avocet::analysis {
namespace {

using firmware::Command;
using firmware::CommandSpan;

std::vector<Track> tracksOf(const firmware::JobProfile &profile) {
  std::map<firmware::Engine, Track> tracks;
  for (const CommandSpan &span : profile.spans)
    tracks[span.engine].commands.push_back(
        {span.command, span.layer, span.operation, span.startCycle, span.endCycle, span.run});
  std::vector<Track> sorted;
  for (auto &[engine, track] : tracks) {
    track.engine = engine;
    std::ranges::sort(track.commands, {},
                      [](const TimedCommand &command) { return std::pair(command.startCycle, command.command); });
    track.dramBytes.resize(track.commands.size());
    track.sramBytes.resize(track.commands.size());
    sorted.push_back(std::move(track));
  }
  return sorted;
}

/// Where each command is in the timeline, by run of its section.
class TimelinePlaces {
public:
  TimelinePlaces(const CommandStreams &streams, const firmware::JobProfile &profile, const std::vector<Track> &tracks) {
    for (uint32_t track = 0; track < tracks.size(); ++track)
      for (uint32_t i = 0; i < tracks[track].commands.size(); ++i) {
        const TimedCommand &timed = tracks[track].commands[i];
        const CommandSpan span{tracks[track].engine, timed.command, timed.layer, timed.operation, 0, 0, timed.run};
        if (const auto place = streams.placeOf(span, profile))
          places_[{timed.run, *place}] = {track, i};
      }
  }

  /// None: the command has no span in the run.
  std::optional<TrackPlace> of(uint32_t run, const std::optional<CommandPlace> &command) const {
    const auto found = command ? places_.find({run, *command}) : places_.end();
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Calls visit(command, place) for all.
  template <typename Visit> void forEach(Visit &&visit) const {
    for (const auto &[key, place] : places_)
      visit(key.second, place);
  }

private:
  std::map<std::pair<uint32_t, CommandPlace>, TrackPlace> places_;
};

/// The links of all waits of a run that work follows.
void addLinks(const CommandStreams &streams, const SemaphoreOrder &order, const TimelinePlaces &places, uint32_t run,
              RunTimeline &timeline) {
  streams.forEach([&](const CommandPlace &wait, const Command &) {
    if (streams.section(wait.stream) != timeline.runs[run].section)
      return;
    const auto signal = order.signalOf(wait);
    const auto from = signal ? places.of(run, order.workBefore(*signal)) : std::nullopt;
    const auto to = places.of(run, order.workAfter(wait));
    const auto blocked = places.of(run, wait);
    if (from && to)
      timeline.links.push_back({*from, *to, blocked ? int64_t{blocked->command} : -1});
  });
}

uint64_t &partOf(LayerTraffic &traffic, cache::RegionKind kind) {
  switch (kind) {
  case cache::RegionKind::Constants:
    return traffic.constants;
  case cache::RegionKind::Scratch:
    return traffic.scratch;
  case cache::RegionKind::Input:
    return traffic.inputs;
  case cache::RegionKind::Output:
    break;
  }
  return traffic.outputs;
}

/// The bytes of the transfer `command`, which is at a place of the timeline.
void addTraffic(const cache::ModelCache &model, const Command &command, const TrackPlace &place,
                RunTimeline &timeline) {
  const auto *dma = std::get_if<firmware::DmaCommand>(&command.body);
  if (dma == nullptr)
    return;
  const uint64_t bytes = movedBytes(*dma);
  const auto addEnd = [&](uint32_t region) {
    if (region == firmware::kSramRegion || region > model.numRegions())
      return;
    timeline.tracks[place.track].dramBytes[place.command] += bytes;
    const size_t layer = std::min<size_t>(command.layer, timeline.traffic.size() - 1);
    partOf(timeline.traffic[layer], model.region(region - 1).kind) += bytes;
  };
  if (dma->kind == firmware::DmaKind::Copy)
    addEnd(dma->source.region);
  addEnd(dma->destination.region);
}

/// The parts of a layer are rounded so that their sum stays what the device counted.
void addSramBytes(const CommandStreams &streams, const firmware::JobProfile &profile, const TimelinePlaces &places,
                  RunTimeline &timeline) {
  const std::vector<WayBytes> moved = commandTraffic(streams, profile);
  std::map<uint32_t, double> sums; // by layer
  for (size_t i = 0; i < moved.size(); ++i) {
    const CommandSpan &span = profile.spans[i];
    const auto place = places.of(span.run, streams.placeOf(span, profile));
    if (!place)
      continue;
    double &sum = sums[span.layer];
    const double before = std::round(sum);
    sum += moved[i][SramPort];
    timeline.tracks[place->track].sramBytes[place->command] += static_cast<uint64_t>(std::round(sum) - before);
  }
}

} // namespace

RunTimeline makeTimeline(const cache::ModelCache &model, const firmware::JobProfile &profile) {
  RunTimeline timeline;
  timeline.tracks = tracksOf(profile);
  timeline.traffic.resize(model.numLayers() + 1);
  const CommandStreams streams(model);
  const CommandTimes times = CommandTimes::from(streams, profile);
  timeline.isStraight = streams.isStraight();
  timeline.runs = times.runs();
  const TimelinePlaces places(streams, profile, timeline.tracks);
  const SemaphoreOrder order(streams, &times);
  for (uint32_t run = 0; run < timeline.runs.size(); ++run)
    addLinks(streams, order, places, run, timeline);
  places.forEach([&](const CommandPlace &command, const TrackPlace &place) {
    addTraffic(model, streams.command(command), place, timeline);
  });
  addSramBytes(streams, profile, places, timeline);
  return timeline;
}

} // namespace avocet::analysis
