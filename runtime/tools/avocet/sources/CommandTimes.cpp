//===- CommandTimes.cpp - When each command runs ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTimes.h"

#include "Session.h"
#include "avocet/firmware_iface/Engines.h"
#include "avocet/firmware_iface/Output.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {

/// Whether a command moves or computes data; semaphores of a step only wait.
static bool doesWork(const firmware::Command &command) {
  return firstOutput(command.body) || std::holds_alternative<firmware::DmaCommand>(command.body);
}

Result<CommandTimes> CommandTimes::measure(const LoadedModel &model, const SourceMap &map) {
  if (!map.model().control().empty())
    return unsupported(
        fmt::format("'{}' has branches or loops, whose commands run several times or not at all", model.name));
  SessionOptions options;
  options.backend = "sim";
  options.functional = false;
  options.profile = true;
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(model, options));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, session->run());
  CommandTimes times;
  times.cycles_ = record.outcome.counters.cycles;
  for (size_t stream = 0; stream < map.numStreams(); ++stream)
    times.ranges_.emplace_back(map.commands(stream).size());
  for (const firmware::CommandSpan &span : record.profile.spans) {
    const auto stream = map.findStream(toString(span.engine), 0);
    if (stream && span.command < times.ranges_[*stream].size())
      times.ranges_[*stream][span.command] = {span.startCycle, span.endCycle};
  }
  return times;
}

std::vector<CommandPlace> CommandTimes::at(uint64_t cycle) const {
  std::vector<CommandPlace> found;
  for (size_t stream = 0; stream < ranges_.size(); ++stream)
    for (uint32_t command = 0; command < ranges_[stream].size(); ++command)
      if (const auto &range = ranges_[stream][command]; range && range->contains(cycle))
        found.push_back({stream, command});
  return found;
}

std::optional<CycleRange> CommandTimes::ofSteps(const SourceMap &map, uint32_t first, uint32_t last) const {
  std::optional<CycleRange> all;
  for (size_t stream = 0; stream < ranges_.size(); ++stream)
    for (uint32_t command = 0; command < ranges_[stream].size(); ++command) {
      const uint32_t step = map.source({stream, command}).step;
      const auto &range = ranges_[stream][command];
      if (!range || (step != first && step != last) || !doesWork(map.commands(stream)[command]))
        continue;
      all = all ? CycleRange{std::min(all->start, range->start), std::max(all->end, range->end)} : *range;
    }
  return all;
}

} // namespace avocet::tool
