//===- CommandTimes.h - When each command runs ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles of a run, by command. Simulated, they are the same in every run of the model on an idle device.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_COMMANDTIMES_H
#define AVOCET_ANALYSIS_COMMANDTIMES_H

#include "avocet/analysis/CommandStreams.h"

namespace avocet::session {
struct LoadedModel;
} // namespace avocet::session

namespace avocet::analysis {

/// Cycles [start, end) of the job.
struct CycleRange {
  uint64_t start = 0, end = 0;
  bool contains(uint64_t cycle) const { return start <= cycle && cycle < end; }
  auto operator<=>(const CycleRange &) const = default;
};

/// Makes `range` the shortest one that contains itself and `other`, if there are any.
void extend(std::optional<CycleRange> &range, const std::optional<CycleRange> &other);

/// One run of a section. A network without branches and loops is one section, which runs once.
struct SectionRun {
  uint32_t section = 0;
  CycleRange range;
};

class CommandTimes {
public:
  /// The job of `profile` ran these commands with spans. Spans of other commands are ignored. Without runs of sections
  /// in the profile, section 0 has run once.
  static CommandTimes from(const CommandStreams &streams, const firmware::JobProfile &profile);

  /// Of one run as session::runProfiled() makes it, with random inputs if they matter.
  static Result<CommandTimes> measure(const session::LoadedModel &model, const CommandStreams &streams);

  uint64_t cycles() const { return cycles_; } ///< of the job

  /// In order. They do not overlap; the control program takes the cycles between them.
  const std::vector<SectionRun> &runs() const { return runs_; }
  /// Indices of the runs of a section, in order.
  std::vector<size_t> runsOf(uint32_t section) const;
  /// None: the control program runs.
  std::optional<size_t> runAt(uint64_t cycle) const;

  /// When a command ran in a run. None: it took no time, as a wait that did not block, or it is of another section.
  std::optional<CycleRange> of(const CommandPlace &place, size_t run) const;
  /// The same in the first run of its section. None also if the section did not run.
  std::optional<CycleRange> of(const CommandPlace &place) const;

  /// Commands that run in a cycle, in the order of their streams.
  std::vector<CommandPlace> at(uint64_t cycle) const;

private:
  using StreamRanges = std::vector<std::optional<CycleRange>>; ///< by command

  uint64_t cycles_ = 0;
  std::vector<SectionRun> runs_;
  std::vector<size_t> firstRunOf_;                ///< by stream: of its section; the number of runs: none
  std::vector<std::vector<StreamRanges>> ranges_; ///< by run and stream; empty for streams of other sections
};

struct LayerTiles {
  uint64_t count = 0;                           ///< commands that compute
  uint32_t rows = 0, columns = 0, channels = 0; ///< of the largest output of such a command; the first of equal ones
};

/// By layer. Commands without a layer are left out.
std::vector<LayerTiles> tilesOf(const CommandStreams &streams, size_t numLayers);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_COMMANDTIMES_H
