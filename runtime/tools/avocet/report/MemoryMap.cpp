//===- MemoryMap.cpp - On-chip memory over time -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryMap.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace avocet::tool {
namespace {

/// When a step of the schedule ran.
struct StepTime {
  uint64_t startCycle = 0, endCycle = 0;
  int32_t layer = kWithoutLayer;
};

int32_t layerOf(const TimedCommand &command) {
  return command.layer == firmware::kNoLayer ? kWithoutLayer : static_cast<int32_t>(command.layer);
}

/// Commands that correspond to steps in order: those of one engine, or of one engine and layer.
using Group = std::pair<firmware::Engine, int32_t>;
using Groups = std::map<Group, std::vector<const TimedCommand *>>;

/// Divides commands and steps into groups that correspond: by engine; if the compiler divided commands of an engine,
/// there also by layer, so that errors stay within a layer.
class StepGroups {
public:
  StepGroups(const RunTimeline &timeline, const IrText &allocated) {
    std::map<firmware::Engine, size_t> numSteps;
    for (const ScheduledStep &step : allocated.steps)
      ++numSteps[step.engine];
    for (const Track &track : timeline.tracks) {
      const auto numCommands = std::ranges::count_if(
          track.commands, [](uint32_t operation) { return isWork(operation); }, &TimedCommand::operation);
      if (static_cast<size_t>(numCommands) != numSteps[track.engine])
        divided_.insert(track.engine);
    }
    for (const ScheduledStep &step : allocated.steps)
      ++numSteps_[groupOf(step.engine, step.layer)];
    for (const Track &track : timeline.tracks)
      for (const TimedCommand &command : track.commands)
        if (isWork(command.operation))
          commands_[groupOf(track.engine, layerOf(command))].push_back(&command);
    for (auto &[group, commands] : commands_)
      std::ranges::sort(commands, {}, &TimedCommand::command);
  }

  bool isExact() const { return divided_.empty(); }

  /// Of the next step in its group; `before` if its layer has no command.
  StepTime next(const ScheduledStep &step, const StepTime &before) {
    const Group group = groupOf(step.engine, step.layer);
    const size_t index = numTaken_[group]++, count = numSteps_[group];
    const auto found = commands_.find(group);
    if (found == commands_.end())
      return before;
    const auto &commands = found->second;
    const size_t first = std::min(index * commands.size() / count, commands.size() - 1);
    const size_t end = std::max((index + 1) * commands.size() / count, first + 1);
    return {commands[first]->startCycle, commands[end - 1]->endCycle, layerOf(*commands[first])};
  }

private:
  Group groupOf(const firmware::Engine &engine, int32_t layer) const {
    return {engine, divided_.contains(engine) ? layer : kWithoutLayer};
  }

  std::set<firmware::Engine> divided_;
  Groups commands_;
  std::map<Group, size_t> numSteps_, numTaken_;
};

std::vector<StepTime> matchSteps(const RunTimeline &timeline, const IrText &allocated, StepMatch &match) {
  StepGroups groups(timeline, allocated);
  match = groups.isExact() ? StepMatch::Exact : StepMatch::ByLayer;
  std::vector<StepTime> times;
  for (const ScheduledStep &step : allocated.steps)
    times.push_back(groups.next(step, times.empty() ? StepTime{} : times.back()));
  return times;
}

/// All commands in order of their start, spread over the steps.
std::vector<StepTime> estimateSteps(const RunTimeline &timeline, size_t numSteps) {
  std::vector<StepTime> commands;
  for (const Track &track : timeline.tracks)
    for (const TimedCommand &command : track.commands)
      if (isWork(command.operation))
        commands.push_back({command.startCycle, command.endCycle, layerOf(command)});
  std::ranges::sort(commands, {},
                    [](const StepTime &step) { return std::tuple(step.startCycle, step.endCycle, step.layer); });
  std::vector<StepTime> steps(commands.empty() ? 0 : numSteps);
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i] = commands[i * commands.size() / numSteps];
  return steps;
}

} // namespace

std::string_view toString(StepMatch match) {
  constexpr std::array<std::string_view, 3> kNames = {"exact", "by_layer", "estimated"};
  return kNames[static_cast<size_t>(match)];
}

MemoryMap makeMemoryMap(const cache::ModelCache &model, const RunTimeline &timeline, const IrText *allocated,
                        const LayersByName &layers) {
  MemoryMap map;
  size_t numSteps = 0;
  for (size_t i = 0; i < model.numMemoryEntries(); ++i)
    numSteps = std::max(numSteps, size_t{model.memoryEntry(i).lastStep} + 1);
  const bool isKnown = allocated != nullptr && timeline.isStraight && allocated->steps.size() >= numSteps;
  const std::vector<StepTime> steps =
      isKnown ? matchSteps(timeline, *allocated, map.match) : estimateSteps(timeline, numSteps);
  for (size_t i = 0; i < model.numMemoryEntries(); ++i) {
    const cache::MemoryEntryView entry = model.memoryEntry(i);
    MappedBuffer buffer{
        std::string(entry.name), entry.region, entry.address, entry.bytes, entry.firstStep, entry.lastStep, 0, 0};
    if (entry.lastStep < steps.size()) {
      buffer.startCycle = steps[entry.firstStep].startCycle;
      buffer.endCycle = std::max(buffer.startCycle, steps[entry.lastStep].endCycle);
      buffer.layer = steps[entry.firstStep].layer;
    }
    if (auto named = layers.find(buffer.name); named != layers.end())
      buffer.layer = named->second;
    else if (isKnown && i < allocated->bufferLayers.size())
      buffer.layer = allocated->bufferLayers[i];
    map.buffers.push_back(std::move(buffer));
  }
  return map;
}

} // namespace avocet::tool
