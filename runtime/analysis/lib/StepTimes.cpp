//===- StepTimes.cpp - When each step of the schedule runs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/StepTimes.h"

namespace avocet::analysis {

StepTimes::StepTimes(const SourceMap &map, const CommandTimes &times, std::optional<size_t> run) {
  map.forEach([&](const CommandPlace &place, const firmware::Command &command) {
    if (!isWork(command)) // semaphores of a step only wait
      return;
    Step &step = steps_[map.source(place).step];
    extend(step.range, run ? times.of(place, *run) : times.of(place));
    if (step.layer == firmware::kNoLayer)
      step.layer = command.layer;
  });
}

std::optional<CycleRange> StepTimes::of(uint32_t first, uint32_t last) const {
  std::optional<CycleRange> range;
  for (uint32_t step : {first, last})
    if (const auto found = steps_.find(step); found != steps_.end())
      extend(range, found->second.range);
  return range;
}

uint32_t StepTimes::layerOf(uint32_t step) const {
  const auto found = steps_.find(step);
  return found == steps_.end() ? firmware::kNoLayer : found->second.layer;
}

} // namespace avocet::analysis
