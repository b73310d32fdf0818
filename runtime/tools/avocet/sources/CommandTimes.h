//===- CommandTimes.h - When each command runs ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles of a simulated run, by command. They are the same in every run of the model on an idle device.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_COMMANDTIMES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_COMMANDTIMES_H

#include "ModelSource.h"
#include "SourceMap.h"

namespace avocet::tool {

/// Cycles [start, end) of the job.
struct CycleRange {
  uint64_t start = 0, end = 0;
  bool contains(uint64_t cycle) const { return start <= cycle && cycle < end; }
};

class CommandTimes {
public:
  /// Simulates one run, without computing values. Unsupported: the model has sections, whose commands have no own
  /// times.
  static Result<CommandTimes> measure(const LoadedModel &model, const SourceMap &map);

  uint64_t cycles() const { return cycles_; } ///< of the run
  /// None: the command took no time, as a wait that did not block.
  std::optional<CycleRange> of(const CommandPlace &place) const { return ranges_[place.stream][place.command]; }
  /// Commands that run in a cycle, in the order of their streams.
  std::vector<CommandPlace> at(uint64_t cycle) const;
  /// From the first command of the first step to the last command of the last one.
  std::optional<CycleRange> ofSteps(const SourceMap &map, uint32_t first, uint32_t last) const;

private:
  uint64_t cycles_ = 0;
  std::vector<std::vector<std::optional<CycleRange>>> ranges_; ///< by stream and command
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_COMMANDTIMES_H
