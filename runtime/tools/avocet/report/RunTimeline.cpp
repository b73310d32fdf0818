//===- RunTimeline.cpp - The commands of a run in time ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeline.h"

#include "avocet/firmware_iface/Codec.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace avocet::tool {
namespace {

using firmware::Command;
using firmware::CommandSpan;

constexpr uint32_t kNowhere = UINT32_MAX;

std::vector<Track> tracksOf(const firmware::JobProfile &profile) {
  std::map<firmware::Engine, Track> tracks;
  for (const CommandSpan &span : profile.spans)
    tracks[span.engine].commands.push_back({span.command, span.layer, span.operation, span.startCycle, span.endCycle});
  std::vector<Track> sorted;
  for (auto &[engine, track] : tracks) {
    track.engine = engine;
    std::ranges::sort(track.commands, {},
                      [](const TimedCommand &command) { return std::pair(command.startCycle, command.command); });
    track.dramBytes.resize(track.commands.size());
    sorted.push_back(std::move(track));
  }
  return sorted;
}

/// A signal: when all commands before it have ended, and the last of them.
struct Signal {
  uint64_t cycle = 0;
  TrackPlace last;
  bool isLinked = false; ///< false: no work before it
};

/// A wait: the next work after it.
struct Wait {
  firmware::WaitCommand command;
  uint32_t track = 0;
  uint32_t place = kNowhere; ///< of itself, if it blocked
  uint32_t next = kNowhere;
};

/// One stream with the places of its commands on its track.
struct Stream {
  std::vector<Command> commands;
  std::vector<uint32_t> places; ///< kNowhere: it has no span
};

class Linker {
public:
  void add(const Stream &stream, const Track &track, uint32_t number) {
    Signal before;
    std::vector<size_t> open; // waits whose next work is not yet known
    for (size_t i = 0; i < stream.commands.size(); ++i) {
      const auto &body = stream.commands[i].body;
      const uint32_t place = stream.places[i];
      if (const auto *signal = std::get_if<firmware::SignalCommand>(&body)) {
        signals_[signal->semaphore].push_back(before);
      } else if (const auto *wait = std::get_if<firmware::WaitCommand>(&body)) {
        open.push_back(waits_.size());
        waits_.push_back({*wait, number, place, kNowhere});
      } else if (place != kNowhere && isWork(static_cast<uint32_t>(body.index()))) {
        for (size_t waiting : open)
          waits_[waiting].next = place;
        open.clear();
        before = {std::max(before.cycle, track.commands[place].endCycle), {number, place}, true};
      }
    }
  }

  std::vector<SemaphoreLink> links() {
    for (auto &[semaphore, signals] : signals_)
      std::ranges::sort(signals, {}, [](const Signal &signal) {
        return std::tuple(signal.cycle, signal.last.track, signal.last.command);
      });
    std::vector<SemaphoreLink> links;
    for (const Wait &wait : waits_) {
      const std::vector<Signal> &signals = signals_[wait.command.semaphore];
      const uint32_t value = wait.command.value;
      if (wait.next == kNowhere || value == 0 || value > signals.size() || !signals[value - 1].isLinked)
        continue;
      links.push_back({signals[value - 1].last,
                       {wait.track, wait.next},
                       wait.place == kNowhere ? int64_t{-1} : int64_t{wait.place}});
    }
    return links;
  }

private:
  std::map<uint32_t, std::vector<Signal>> signals_; ///< by semaphore
  std::vector<Wait> waits_;
};

std::vector<Command> decodeAll(std::span<const uint32_t> words) {
  std::vector<Command> commands;
  for (size_t position = 0; position < words.size();) {
    Result<Command> command = firmware::decode(words, position);
    if (!command)
      break; // cannot happen: the verifier of the model cache decoded every stream
    commands.push_back(std::move(*command));
  }
  return commands;
}

Stream placeCommands(const cache::StreamView &view, const Track &track) {
  Stream stream{decodeAll(view.words), {}};
  stream.places.assign(stream.commands.size(), kNowhere);
  for (uint32_t place = 0; place < track.commands.size(); ++place)
    if (track.commands[place].command < stream.places.size())
      stream.places[track.commands[place].command] = place;
  return stream;
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

void addTraffic(const cache::ModelCache &model, const Stream &stream, Track &track, std::vector<LayerTraffic> &layers) {
  for (size_t i = 0; i < stream.commands.size(); ++i) {
    const auto *dma = std::get_if<firmware::DmaCommand>(&stream.commands[i].body);
    if (dma == nullptr || stream.places[i] == kNowhere)
      continue;
    const uint64_t bytes = uint64_t{dma->runBytes} * dma->count0 * dma->count1 * dma->count2;
    const auto addEnd = [&](uint32_t region) {
      if (region == firmware::kSramRegion || region > model.numRegions())
        return;
      track.dramBytes[stream.places[i]] += bytes;
      const size_t layer = std::min<size_t>(stream.commands[i].layer, layers.size() - 1);
      partOf(layers[layer], model.region(region - 1).kind) += bytes;
    };
    if (dma->kind == firmware::DmaKind::Copy)
      addEnd(dma->source.region);
    addEnd(dma->destination.region);
  }
}

bool isStraight(const cache::ModelCache &model) {
  bool isOne = model.control().empty();
  for (size_t i = 0; i < model.numStreams(); ++i)
    isOne = isOne && model.stream(i).section == 0;
  return isOne;
}

} // namespace

bool isWork(uint32_t operation) {
  constexpr uint32_t kFirstWork = 4;
  static_assert(std::is_same_v<std::variant_alternative_t<kFirstWork, firmware::CommandBody>, firmware::DmaCommand>);
  return operation >= kFirstWork;
}

RunTimeline makeTimeline(const cache::ModelCache &model, const firmware::JobProfile &profile) {
  RunTimeline timeline;
  timeline.tracks = tracksOf(profile);
  timeline.traffic.resize(model.numLayers() + 1);
  timeline.isStraight = isStraight(model);
  if (!timeline.isStraight)
    return timeline;
  Linker linker;
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView view = model.stream(i);
    auto track = std::ranges::find(timeline.tracks, view.engine, &Track::engine);
    if (track == timeline.tracks.end())
      continue;
    const Stream stream = placeCommands(view, *track);
    linker.add(stream, *track, static_cast<uint32_t>(track - timeline.tracks.begin()));
    addTraffic(model, stream, *track, timeline.traffic);
  }
  timeline.links = linker.links();
  return timeline;
}

} // namespace avocet::tool
