//===- RunTimeline.h - The commands of a run in time ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_RUNTIMELINE_H
#define AVOCET_ANALYSIS_RUNTIMELINE_H

#include "avocet/analysis/CommandTimes.h"

#include <cstdint>
#include <vector>

namespace avocet::analysis {

/// A command that an engine ran, or a wait that blocked it. Cycles count from the start of the job.
struct TimedCommand {
  uint32_t command = 0; ///< number in its stream
  uint32_t layer = firmware::kNoLayer;
  uint32_t operation = 0; ///< index of the alternative in CommandBody
  uint64_t startCycle = 0;
  uint64_t endCycle = 0;
  uint32_t run = 0; ///< in RunTimeline::runs
};

/// The commands of one engine, in order of their start.
struct Track {
  firmware::Engine engine;
  std::vector<TimedCommand> commands;
  std::vector<uint64_t> dramBytes; ///< by command, off-chip bytes that it moves
  std::vector<uint64_t> sramBytes; ///< by command, its part of its layer's bytes at the SRAM port (CommandTraffic.h)
};

/// A place in `RunTimeline::tracks`.
struct TrackPlace {
  uint32_t track = 0;
  uint32_t command = 0;
};

/// `to` starts after `from` has ended, because of a semaphore.
struct SemaphoreLink {
  TrackPlace from, to;
  int64_t wait = -1; ///< place on the track of `to` of the wait, if it blocked the engine
};

/// Off-chip bytes of a layer's transfers by kind of region.
struct LayerTraffic {
  uint64_t constants = 0, scratch = 0, inputs = 0, outputs = 0;
};

struct RunTimeline {
  std::vector<Track> tracks;
  std::vector<SemaphoreLink> links;
  std::vector<LayerTraffic> traffic; ///< by layer; one more at the end for transfers without a layer
  /// False for a network with branches or loops, in which a command may run several times.
  bool isStraight = true;
  std::vector<SectionRun> runs; ///< in order; one for a straight network
};

/// The job of `profile` ran `model` with spans.
RunTimeline makeTimeline(const cache::ModelCache &model, const firmware::JobProfile &profile);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_RUNTIMELINE_H
