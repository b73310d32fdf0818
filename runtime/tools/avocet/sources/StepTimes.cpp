//===- StepTimes.cpp - When each step of the schedule runs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepTimes.h"

namespace avocet::tool {

StepTimes::StepTimes(const SourceMap &map, const CommandTimes &times) {
  map.forEach([&](const CommandPlace &place, const firmware::Command &command) {
    if (isWork(command)) // semaphores of a step only wait
      extend(ranges_[map.source(place).step], times.of(place));
  });
}

std::optional<CycleRange> StepTimes::of(uint32_t first, uint32_t last) const {
  std::optional<CycleRange> range;
  for (uint32_t step : {first, last})
    if (const auto found = ranges_.find(step); found != ranges_.end())
      extend(range, found->second);
  return range;
}

} // namespace avocet::tool
