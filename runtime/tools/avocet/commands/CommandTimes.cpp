//===- CommandTimes.cpp - When each command runs ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTimes.h"

#include "Session.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {

static Status requireStraight(const CommandStreams &streams) {
  if (streams.isStraight())
    return Status::ok();
  return unsupported(
      fmt::format("'{}' has branches or loops, whose commands run several times or not at all", streams.modelName()));
}

void extend(std::optional<CycleRange> &range, const std::optional<CycleRange> &other) {
  if (range && other)
    range = {std::min(range->start, other->start), std::max(range->end, other->end)};
  else if (other)
    range = other;
}

Result<CommandTimes> CommandTimes::from(const CommandStreams &streams, const firmware::JobProfile &profile) {
  AVOCET_RETURN_IF_ERROR(requireStraight(streams));
  CommandTimes times;
  times.cycles_ = profile.record.counters.cycles;
  for (size_t stream = 0; stream < streams.numStreams(); ++stream)
    times.ranges_.emplace_back(streams.commands(stream).size());
  for (const firmware::CommandSpan &span : profile.spans)
    if (const auto place = streams.placeOf(span))
      times.ranges_[place->stream][place->command] = {span.startCycle, span.endCycle};
  return times;
}

Result<CommandTimes> CommandTimes::measure(const LoadedModel &model, const CommandStreams &streams) {
  AVOCET_RETURN_IF_ERROR(requireStraight(streams)); // before the simulation, which may take long
  AVOCET_ASSIGN_OR_RETURN(const TimedRun run, runTimed(model, Profiling::On));
  return from(streams, run.record.profile);
}

std::vector<CommandPlace> CommandTimes::at(uint64_t cycle) const {
  std::vector<CommandPlace> found;
  for (size_t stream = 0; stream < ranges_.size(); ++stream)
    for (uint32_t command = 0; command < ranges_[stream].size(); ++command)
      if (const auto &range = ranges_[stream][command]; range && range->contains(cycle))
        found.push_back({stream, command});
  return found;
}

} // namespace avocet::tool
