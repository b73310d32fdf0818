//===- MemoryMap.cpp - On-chip memory over time -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/MemoryMap.h"

#include "avocet/analysis/SourceMap.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace avocet::documents {
namespace {

/// When a buffer is in use, and by which layer first.
struct Use {
  analysis::CycleRange range;
  uint32_t layer = firmware::kNoLayer;
};

/// One for each run of the buffer's section; one without cycles if it did not run.
std::vector<Use> exactUses(std::span<const analysis::StepTimes> runs, const cache::MemoryEntryView &entry) {
  std::vector<Use> uses;
  for (const analysis::StepTimes &steps : runs)
    if (const auto range = steps.of(entry.firstStep, entry.lastStep)) {
      const uint32_t first = steps.layerOf(entry.firstStep);
      uses.push_back({*range, first == firmware::kNoLayer ? steps.layerOf(entry.lastStep) : first});
    }
  return uses.empty() ? std::vector<Use>(1) : uses;
}

/// Spreads all commands, in order of their start, over the steps.
class StepEstimate {
public:
  StepEstimate(const analysis::RunTimeline &timeline, uint64_t numSteps) : numSteps_(numSteps) {
    for (const analysis::Track &track : timeline.tracks)
      std::ranges::copy_if(track.commands, std::back_inserter(commands_), isWorkOf);
    std::ranges::sort(commands_, {}, [](const analysis::TimedCommand &command) {
      return std::tuple(command.startCycle, command.endCycle, command.layer);
    });
  }

  Use use(const cache::MemoryEntryView &entry) const {
    if (commands_.empty())
      return {};
    const analysis::TimedCommand &first = at(entry.firstStep), &last = at(entry.lastStep);
    return {{first.startCycle, std::max(first.startCycle, last.endCycle)}, first.layer};
  }

private:
  static bool isWorkOf(const analysis::TimedCommand &command) { return analysis::isWork(command.operation); }
  const analysis::TimedCommand &at(uint64_t step) const { return commands_[step * commands_.size() / numSteps_]; }

  std::vector<analysis::TimedCommand> commands_;
  uint64_t numSteps_;
};

uint64_t numStepsOf(const cache::ModelCache &model) {
  uint64_t steps = 0;
  for (size_t i = 0; i < model.numMemoryEntries(); ++i)
    steps = std::max(steps, uint64_t{model.memoryEntry(i).lastStep} + 1);
  return steps;
}

/// Numbers tensors in the order in which they are first named.
class TensorNumbers {
public:
  explicit TensorNumbers(std::vector<std::string> &names) : names_(names) {}

  size_t of(const cache::ModelCache &model, const cache::MemoryEntryView &entry) {
    const bool isKnown = entry.operation != cache::kNoSource;
    const std::string_view role = isKnown ? analysis::roleOf(entry) : entry.name;
    const auto [found, isNew] = numbers_.emplace(std::pair(entry.operation, role), names_.size());
    if (isNew)
      names_.push_back(isKnown ? nameOf(model.sourceOperation(entry.operation).name, role) : std::string(role));
    return found->second;
  }

private:
  static std::string nameOf(std::string_view operation, std::string_view role) {
    return role == "result" ? std::string(operation) : fmt::format("{} of {}", role, operation);
  }

  std::map<std::pair<uint32_t, std::string_view>, size_t> numbers_; ///< by operation and role, or name
  std::vector<std::string> &names_;
};

} // namespace

std::string_view toString(StepMatch match) { return match == StepMatch::Exact ? "exact" : "estimated"; }

MemoryMap makeMemoryMap(const cache::ModelCache &model, const analysis::RunTimeline &timeline,
                        std::span<const analysis::StepTimes> runs) {
  MemoryMap map;
  map.match = runs.empty() ? StepMatch::Estimated : StepMatch::Exact;
  const StepEstimate estimate(timeline, numStepsOf(model));
  TensorNumbers tensors(map.tensors);
  for (size_t i = 0; i < model.numMemoryEntries(); ++i) {
    const cache::MemoryEntryView entry = model.memoryEntry(i);
    const bool isKnown = entry.operation != cache::kNoSource;
    for (const Use &use : runs.empty() ? std::vector{estimate.use(entry)} : exactUses(runs, entry))
      map.buffers.push_back({std::string(entry.name), entry.region, entry.address, entry.bytes, entry.firstStep,
                             entry.lastStep, use.range.start, use.range.end,
                             isKnown ? model.sourceOperation(entry.operation).layer : use.layer,
                             tensors.of(model, entry)});
  }
  return map;
}

} // namespace avocet::documents
