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

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_COMMANDTIMES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_COMMANDTIMES_H

#include "CommandStreams.h"

namespace avocet::tool {

struct LoadedModel;

/// Cycles [start, end) of the job.
struct CycleRange {
  uint64_t start = 0, end = 0;
  bool contains(uint64_t cycle) const { return start <= cycle && cycle < end; }
  auto operator<=>(const CycleRange &) const = default;
};

/// Makes `range` the shortest one that contains itself and `other`, if there are any.
void extend(std::optional<CycleRange> &range, const std::optional<CycleRange> &other);

class CommandTimes {
public:
  /// The job of `profile` ran these commands with spans. Spans of other commands are ignored. Unsupported: the model
  /// has branches or loops, whose commands have no times of their own.
  static Result<CommandTimes> from(const CommandStreams &streams, const firmware::JobProfile &profile);

  /// Simulates one run, without computing values. Unsupported as above.
  static Result<CommandTimes> measure(const LoadedModel &model, const CommandStreams &streams);

  uint64_t cycles() const { return cycles_; } ///< of the run
  /// None: the command took no time, as a wait that did not block.
  std::optional<CycleRange> of(const CommandPlace &place) const { return ranges_[place.stream][place.command]; }
  /// Commands that run in a cycle, in the order of their streams.
  std::vector<CommandPlace> at(uint64_t cycle) const;

private:
  uint64_t cycles_ = 0;
  std::vector<std::vector<std::optional<CycleRange>>> ranges_; ///< by stream and command
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_COMMANDTIMES_H
