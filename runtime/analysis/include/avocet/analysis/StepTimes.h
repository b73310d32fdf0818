//===- StepTimes.h - When each step of the schedule runs --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_STEPTIMES_H
#define AVOCET_ANALYSIS_STEPTIMES_H

#include "avocet/analysis/CommandTimes.h"
#include "avocet/analysis/SourceMap.h"

#include <unordered_map>

namespace avocet::analysis {

/// The cycles of the work of each step. A step is one command, or several if the compiler divided it. Each section of a
/// network has steps of its own.
class StepTimes {
public:
  /// In one run, in which only its section has steps, or in the first run of each section.
  StepTimes(const SourceMap &map, const CommandTimes &times, std::optional<size_t> run = {});

  /// From the first command of the first step to the last command of the last one: how long the memory plan keeps a
  /// buffer. None: neither step has a command that ran.
  std::optional<CycleRange> of(uint32_t first, uint32_t last) const;
  /// The layer of a step's commands; kNoLayer: none has one.
  uint32_t layerOf(uint32_t step) const;

private:
  struct Step {
    std::optional<CycleRange> range;
    uint32_t layer = firmware::kNoLayer;
  };
  std::unordered_map<uint32_t, Step> steps_; ///< by number; a file may number them as it likes
};

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_STEPTIMES_H
