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

/// By engine. If the compiler divided commands, also by layer, so that errors stay within a layer.
Groups groupCommands(const RunTimeline &timeline, bool byLayer) {
  Groups groups;
  for (const Track &track : timeline.tracks)
    for (const TimedCommand &command : track.commands)
      if (isWork(command.operation))
        groups[{track.engine, byLayer ? layerOf(command) : kWithoutLayer}].push_back(&command);
  for (auto &[group, commands] : groups)
    std::ranges::sort(commands, {}, &TimedCommand::command);
  return groups;
}

std::map<Group, size_t> countSteps(const IrText &allocated, bool byLayer) {
  std::map<Group, size_t> counts;
  for (const ScheduledStep &step : allocated.steps)
    ++counts[{step.engine, byLayer ? step.layer : kWithoutLayer}];
  return counts;
}

bool areEqual(const Groups &groups, const std::map<Group, size_t> &counts) {
  return std::ranges::all_of(counts, [&](const auto &count) {
    const auto found = groups.find(count.first);
    return found != groups.end() && found->second.size() == count.second;
  });
}

/// Commands [first, last] of a group are step number `index` of its `count` steps.
StepTime timeOf(const std::vector<const TimedCommand *> &commands, size_t index, size_t count) {
  const size_t first = std::min(index * commands.size() / count, commands.size() - 1);
  const size_t end = std::max((index + 1) * commands.size() / count, first + 1);
  return {commands[first]->startCycle, commands[end - 1]->endCycle, layerOf(*commands[first])};
}

std::vector<StepTime> matchSteps(const RunTimeline &timeline, const IrText &allocated, StepMatch &match) {
  const bool isExact = areEqual(groupCommands(timeline, false), countSteps(allocated, false));
  match = isExact ? StepMatch::Exact : StepMatch::ByLayer;
  const Groups groups = groupCommands(timeline, !isExact);
  const std::map<Group, size_t> counts = countSteps(allocated, !isExact);
  std::map<Group, size_t> next;
  std::vector<StepTime> times;
  for (const ScheduledStep &step : allocated.steps) {
    const Group group(step.engine, isExact ? kWithoutLayer : step.layer);
    const auto found = groups.find(group);
    if (found == groups.end())
      times.push_back(times.empty() ? StepTime{} : times.back());
    else
      times.push_back(timeOf(found->second, next[group]++, counts.at(group)));
  }
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
